#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "sim/loggops/loggops.h"
#include "trace/goal/program.h"

namespace slackline {

using LogGOPSRunJson = JsonOf<struct LogGOPSRunJsonTag>;
const JsonType& declared_type(const LogGOPSRunJsonTag*);
/// What LogGOPSim's timing says of one program at one set of parameters.
Described<LogGOPSRunJson> describe(const LogGOPSRun& run);

/// The same program at several latencies. Under this model T(L) is not convex (messages compete for
/// the processor), so there are values, and no lines between them.
struct LogGOPSSweep {
  double base_ns = 0;                             ///< the model's own latency
  std::vector<std::pair<double, double>> points;  ///< latency and makespan, ns
};

/// At `count` evenly spaced latencies from `from_fs` to `to_fs`; one simulation each, in parallel.
LogGOPSSweep sweep_latency(const GoalProgram& program, const LogGOPS& model, std::int64_t from_fs,
                           std::int64_t to_fs, std::size_t count, std::string_view name);
using LogGOPSSweepJson = JsonOf<struct LogGOPSSweepJsonTag>;
const JsonType& declared_type(const LogGOPSSweepJsonTag*);
/// Result and a plot of points.
Described<LogGOPSSweepJson> describe(const LogGOPSSweep& sweep);

using LogGOPSJson = JsonOf<struct LogGOPSJsonTag>;
const JsonType& declared_type(const LogGOPSJsonTag*);
/// The effective parameters, for a Report.
LogGOPSJson to_json(const LogGOPS& model);

}  // namespace slackline
