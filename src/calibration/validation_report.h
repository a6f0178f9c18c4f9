#pragma once

#include <vector>

#include "calibration/validation.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"

namespace slackline {

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
