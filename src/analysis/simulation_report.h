#pragma once

#include <string>
#include <vector>

#include "report/report.h"
#include "sim/simulation.h"
#include "sim/sweep.h"
#include "sim/tolerance.h"
#include "trace/trace.h"

namespace slackline {

/// Fills result and sections; the caller adds options, input and findings. `links_shown` of the
/// most contended links are named, with their use over time, when the simulation kept it.
Report describe(const Simulation& simulation, const Trace& trace, const Platform& platform,
                std::size_t links_shown);

/// A row for every combination of the axes' values.
Report describe(const std::vector<SweepCase>& cases, const std::vector<SweepAxis>& axes);

/// How much of `what` (as "latency of all links") the program takes; `alone`: the same degradations
/// without contention, where it is the LogGPS graph's longest path that grows.
Report describe(const ToleranceSearch& search, const ToleranceSearch& alone,
                const std::string& what);

}  // namespace slackline
