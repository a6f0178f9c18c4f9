#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/waits/delay_costs.h"
#include "analysis/waits/wait_part.h"
#include "analysis/waits/wait_states.h"
#include "analysis/waits/waits_in_code.h"
#include "calls/run_span.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/typed_report.h"
#include "trace/operation.h"
#include "trace/trace.h"

namespace slackline {

/// Waiting of one pattern. Quartiles of more than a million waits are exact to 0.02 %.
struct PatternSummary : PatternSum {
  double lower_quartile_ns = 0;
  double median_ns = 0;
  double upper_quartile_ns = 0;
  double variance = 0;  ///< in ns^2
  std::vector<std::int64_t> by_rank{};
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
  std::int64_t effective_ns = 0;  ///< its part of WaitSummary::total_ns; 0 of completions
  std::vector<RankWait> ranks;    ///< those that wait there, ascending
};

/// How long the ranks wait in an interval of a run, where, and for what.
struct WaitSummary {
  std::int64_t total_ns = 0;             ///< of effective states: what ranks really waited
  std::int64_t mpi_ns = 0;               ///< time in MPI of all ranks' main threads
  TimeInterval interval{};               ///< of which part of the run, in the trace's own time
  TimeInterval run{};                    ///< RunSpan::whole
  std::vector<bool> has_calls{};         ///< by rank
  std::vector<std::int64_t> by_rank;     ///< of effective states
  std::vector<PatternSummary> patterns;  ///< those that occur, in the order of WaitPattern
  std::vector<WaitPlace> places;
  DelayCosts delays;                ///< their origins by summarize_states() only
  std::vector<WaitInCode> in_code;  ///< by summarize_waits() and diagnose() only
  Findings findings;
};

/// All of it: states, their causes, and sums, in `interval` or, without one, in the whole run,
/// MPI_Init and MPI_Finalize included. Throws Error for an untimed trace.
WaitSummary summarize_waits(const Trace& trace, const CallMatching& matching,
                            const CallPaths& paths, const WaitOptions& options,
                            const std::optional<TimeInterval>& interval);
/// The same of states that are known already, all of them in `interval`; without `in_code`.
WaitSummary summarize_states(const Trace& trace, const CallMatching& matching,
                             const CallActivities& names, const WaitStates& waits,
                             const TimeInterval& interval);
/// The same of the sums over a whole run, without `in_code`. `ranks`: of the run; `findings`: what
/// was found before.
WaitSummary summary_of(const WaitSums& sums, std::span<const RankExtent> ranks,
                       const TimeInterval& interval, Findings findings);

/// The number of places, largest first, for which the result has the wait time of every rank: four
/// million numbers at most.
std::size_t places_given_by_rank(const WaitSummary& summary, std::int32_t ranks);

extern const Rows<WaitSummary, struct WaitsOf> kWaitSummary;
using WaitSummaryJson = JsonBy<kWaitSummary>;
/// Result and tables of patterns, places, ranks and causes; times in ns.
Described<WaitSummaryJson> describe(const WaitSummary& summary, const Trace& trace,
                                    const CallPaths& paths);

/// The time between polls that fail and the next of their kind. A trace does not say whether the
/// program did something useful in it; it counts as computation.
struct PollGaps {
  std::int64_t sum_ns = 0;  ///< over all ranks
  std::int32_t rank = -1;   ///< that has most of it; -1 without such polls
  std::int64_t rank_ns = 0;
  Operation operation = Operation::none;  ///< of most of it on that rank
};

/// In the analysed interval. Linear in calls.
PollGaps poll_gaps(const Trace& trace, const TimeInterval& analysed);

}  // namespace slackline
