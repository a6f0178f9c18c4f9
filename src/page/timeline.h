#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "analysis/waits/wait_states.h"
#include "calls/call_matching.h"
#include "calls/call_paths.h"
#include "page/codes.h"
#include "page/drawn_calls.h"
#include "page/drawn_timeline.h"
#include "page/events.h"
#include "page/run_times.h"

namespace slackline {

/// A run to be drawn.
struct TimelineRun {
  std::string id;  ///< "measured"
  std::string name;
  RunTimes times;
  std::vector<PathPiece> path{};
  const WaitStates* waits = nullptr;  ///< null: nobody waits, as far as is known
};

struct TimelineInput {
  const Trace& trace;
  const CallPaths& paths;
  const CallMatching& matching;
  const TimelineCodes* codes = nullptr;  ///< null: of what occurs in these runs
};

/// Up to this many calls each single one is inside.
inline constexpr std::uint64_t kTimelineCalls = 3'000'000;
/// Up to this many calls a tick is 1 ns.
inline constexpr std::uint64_t kExactCalls = 300'000;
/// As `most_calls`: any number of calls, each to the nanosecond, however large that gets.
inline constexpr std::uint64_t kEveryCall = std::numeric_limits<std::uint64_t>::max();

/// All of `runs`. Longer traces than kExactCalls get longer ticks, so that their text takes about
/// 4 bytes a call of the trace, as long as a tick is at most a sixteenth of an average call or
/// computation. The first run describes the calls, the others add their times. Of a trace of more
/// than `most_calls` calls only levels of detail, critical path and longest waits. About 5 M
/// calls/s on two processors.
Timeline timeline(const TimelineInput& input, const std::vector<TimelineRun>& runs,
                  std::uint64_t most_calls = kTimelineCalls);
/// One run whose rows need not be ranks. `calls` have functions, `codes` its wait patterns.
Timeline timeline(const DrawnCalls& calls, const TimelineRun& run, const TimelineCodes& codes,
                  std::uint64_t most_calls = kTimelineCalls);

}  // namespace slackline
