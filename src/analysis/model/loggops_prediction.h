#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/report.h"
#include "report/rows.h"
#include "report/typed_report.h"
#include "sim/loggops/loggops.h"
#include "trace/goal/program.h"

namespace slackline {

extern const Rows<LogGOPSRun> kLogGOPSRun;
using LogGOPSRunJson = JsonBy<kLogGOPSRun>;
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
extern const Rows<LogGOPSSweep> kLogGOPSSweep;
using LogGOPSSweepJson = JsonBy<kLogGOPSSweep>;
/// Result and a plot of points.
Described<LogGOPSSweepJson> describe(const LogGOPSSweep& sweep);

/// The effective parameters, for a Report.
extern const Rows<LogGOPS> kLogGOPS;
using LogGOPSJson = JsonBy<kLogGOPS>;

}  // namespace slackline
