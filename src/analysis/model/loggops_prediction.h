#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/report.h"
#include "sim/loggops/loggops.h"
#include "trace/goal/program.h"

namespace slackline {

/// What LogGOPSim's timing says of one program at one set of parameters.
Report describe(const LogGOPSRun& run);

/// The same program at several latencies. Under this model T(L) is not convex (messages compete for
/// the processor), so there are values, and no lines between them.
struct LogGOPSSweep {
  double base_ns = 0;                             ///< the model's own latency
  std::vector<std::pair<double, double>> points;  ///< latency and makespan, ns
};

/// At `count` evenly spaced latencies from `from_fs` to `to_fs`; one simulation each, in parallel.
LogGOPSSweep sweep_latency(const GoalProgram& program, const LogGOPS& model, std::int64_t from_fs,
                           std::int64_t to_fs, std::size_t count, std::string_view name);
/// Result and a plot of points.
Report describe(const LogGOPSSweep& sweep);

/// The effective parameters, for a Report.
Json to_json(const LogGOPS& model);

}  // namespace slackline
