#pragma once

#include "calibration/loggps_fit.h"
#include "report/report.h"

namespace slackline {

/// The parameters with their intervals, the piecewise functions, and the samples' medians beside
/// them. For scripts: `loggps`, of which each parameter has `value`, `low` and `high`,
/// `breakpoints_bytes` of the one-way time, and `pieces` of every quantity.
Report describe(const CalibrationSamples& samples, const LogGPSFit& fit);

}  // namespace slackline
