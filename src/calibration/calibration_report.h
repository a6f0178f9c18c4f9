#pragma once

#include <vector>

#include "calibration/loggps_fit.h"
#include "calibration/robust.h"
#include "calibration/validation.h"
#include "report/object.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/typed_report.h"

namespace slackline {

extern const Rows<LogGPSFit, struct CalibrationOf> kCalibration;
using CalibrationJson = JsonBy<kCalibration>;
/// The parameters with their intervals, the piecewise functions, and the samples' medians beside
/// them. For scripts: `loggps`, of which each parameter has `value`, `low` and `high`,
/// `breakpoints_bytes` of the one-way time, `pieces` of every quantity, and `ping_pong`: what the
/// prediction and the simulation make of the measured ping-pong.
Described<CalibrationJson> describe(const CalibrationSamples& samples, const LogGPSFit& fit,
                                    const SmpiTables& smpi, Buffers buffers);

/// Value and interval, for a Report.
extern const Rows<Estimate> kEstimateRows;

/// The predicted curve between the measured points: T over the added latency.
struct PredictedCurve {
  std::vector<double> added_ns{};  ///< ascending
  std::vector<double> makespan_ns{};
};

using ValidationJson = JsonOf<struct ValidationJsonTag>;
const JsonType& declared_type(const ValidationJsonTag*);
/// Result, tables and the figure of measured points over the predicted curve. `result.points`,
/// `result.rrmse`, `result.tolerance` and `result.operations` are for scripts. A Finding for each
/// point that does not agree.
Described<ValidationJson> describe(const Validation& validation, const ValidationSamples& samples,
                                   const PredictedCurve& curve);

}  // namespace slackline
