#pragma once

#include "calibration/loggps_fit.h"
#include "calibration/smpi_tables.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"

namespace slackline {

using CalibrationJson = JsonOf<struct CalibrationJsonTag>;
const JsonType& declared_type(const CalibrationJsonTag*);
/// The parameters with their intervals, the piecewise functions, and the samples' medians beside
/// them. For scripts: `loggps`, of which each parameter has `value`, `low` and `high`,
/// `breakpoints_bytes` of the one-way time, `pieces` of every quantity, and `ping_pong`: what the
/// prediction and the simulation make of the measured ping-pong.
Described<CalibrationJson> describe(const CalibrationSamples& samples, const LogGPSFit& fit,
                                    const SmpiTables& smpi);

}  // namespace slackline
