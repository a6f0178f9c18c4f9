#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/runs/time_breakdown.h"
#include "calls/run_span.h"
#include "trace/trace.h"

namespace slackline {

/// An interval of a measured run, rank by rank. Waiting is not known yet: it counts as `mpi`.
struct MeasuredRun {
  std::int64_t makespan_ns = 0;
  std::vector<RankTime> ranks_ns;  ///< parts add up to the makespan
  std::string extent;              ///< from when to when, as reports say it
};

/// The run as a model predicts it, RunSpan::analysed. Nothing for untimed traces and traces without
/// calls. O(calls).
std::optional<MeasuredRun> measured_run(const Trace& trace);
/// The same of any interval, in the trace's own time.
std::optional<MeasuredRun> measured_run(const Trace& trace, const TimeInterval& interval);

/// One rank's part of it.
RankTime measured_rank(const RankCalls& calls, const TimeInterval& interval);

}  // namespace slackline
