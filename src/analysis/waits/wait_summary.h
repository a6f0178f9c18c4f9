#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/waits/delay_costs.h"
#include "analysis/waits/wait_states.h"
#include "analysis/waits/waits_in_code.h"
#include "calls/run_span.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"

namespace slackline {

/// Waiting of one pattern.
struct PatternSummary {
  WaitPattern pattern;
  std::uint64_t count = 0;
  std::int64_t sum_ns = 0;
  std::int64_t between_polls_ns = 0;  ///< of `sum_ns`: between polls that failed
  std::int64_t least_ns = 0;
  double lower_quartile_ns = 0;
  double median_ns = 0;
  double upper_quartile_ns = 0;
  std::int64_t most_ns = 0;
  double variance = 0;  ///< in ns^2
  WaitState worst;      ///< the longest instance
  std::vector<std::int64_t> by_rank;
  // Late senders only.
  std::uint64_t wrong_order_count = 0;
  std::int64_t wrong_order_same_ns = 0;
  std::int64_t wrong_order_different_ns = 0;
  // Patterns with a cause only.
  double direct_ns = 0;
  double indirect_ns = 0;
  double propagating_ns = 0;
};

/// What one rank waits.
struct RankWait {
  std::int32_t rank = 0;
  std::int64_t ns = 0;
};

/// Where waiting lies: one row per (pattern, operation, call path), largest first.
struct WaitPlace {
  WaitPattern pattern;
  Operation operation;
  PathId path;
  std::uint64_t count = 0;
  std::int64_t sum_ns = 0;
  std::vector<RankWait> ranks;  ///< those that wait there, ascending
};

/// How long the ranks wait in an interval of a run, where, and for what.
struct WaitSummary {
  std::int64_t total_ns = 0;             ///< of effective states: what ranks really waited
  std::int64_t mpi_ns = 0;               ///< time in MPI of all ranks
  TimeInterval interval{};               ///< of which part of the run, in the trace's own time
  std::vector<std::int64_t> by_rank;     ///< of effective states
  std::vector<PatternSummary> patterns;  ///< those that occur, in the order of WaitPattern
  std::vector<WaitPlace> places;
  DelayCosts delays;
  std::vector<WaitInCode> in_code;  ///< by summarize_waits() and diagnose() only
  Findings findings;
};

/// All of it: states, their causes, and sums, in `interval` or, without one, in the whole run,
/// MPI_Init and MPI_Finalize included. Throws Error for an untimed trace.
WaitSummary summarize_waits(const Trace& trace, const CallMatching& matching,
                            const CallPaths& paths, const WaitOptions& options,
                            const std::optional<TimeInterval>& interval);
/// The same of states that are known already, all of them in `interval`; without `in_code`.
/// `visitor` may be null.
WaitSummary summarize_states(const Trace& trace, const CallMatching& matching,
                             const CallActivities& names, const WaitStates& waits,
                             const TimeInterval& interval, DelayVisitor* visitor = nullptr);

/// The number of places, largest first, for which the result has the wait time of every rank: four
/// million numbers at most.
std::size_t places_given_by_rank(const WaitSummary& summary, std::int32_t ranks);

using WaitSummaryJson = JsonOf<struct WaitSummaryJsonTag>;
const JsonType& declared_type(const WaitSummaryJsonTag*);
/// Result and tables of patterns, places, ranks and causes; times in ns.
Described<WaitSummaryJson> describe(const WaitSummary& summary, const Trace& trace,
                                    const CallPaths& paths);

}  // namespace slackline
