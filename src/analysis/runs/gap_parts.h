#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/runs/time_breakdown.h"
#include "base/arithmetic.h"
#include "calls/call_paths.h"
#include "trace/trace.h"

namespace slackline {

/// Calls visit(path, RankTime) for the parts of the time between `call` and the one before it by
/// call path: what was computation there, and what was not. What recording took is shared out over
/// the computation. The parts add up to the gap. O(region events and pauses in it).
template <class Visit>
void visit_gap_parts(const CallPaths& paths, const RankCalls& calls, std::int32_t rank,
                     std::uint32_t call, Visit visit) {
  std::int64_t at = calls.gap_end_ns(call) - calls.gap_ns(call);
  std::int64_t recording = calls.recording_ns(call);
  std::int64_t computing = recording + calls.useful_ns(call);  // both in what is still to come
  const auto pauses = calls.pauses();
  auto pause = std::ranges::lower_bound(pauses, call, {}, &Pause::before_call);
  paths.split_gap(rank, call, [&](PathId path, std::int64_t ns) {
    RankTime time;
    const std::int64_t end = at + ns;
    while (pause != pauses.end() && pause->before_call == call && pause->begin_ns < end) {
      part_of(time, pause->kind) +=
          std::max<std::int64_t>(0, std::min(end, pause->end_ns) - std::max(at, pause->begin_ns));
      if (pause->end_ns > end) break;
      ++pause;
    }
    const std::int64_t rest = std::max<std::int64_t>(0, ns - time.total());
    std::int64_t recorded = 0;
    if (computing > 0) {
      recorded =
          static_cast<std::int64_t>(Int128{recording} * std::min(rest, computing) / computing);
    }
    time.recording += recorded;
    time.compute = rest - recorded;
    recording -= recorded;
    computing -= rest;
    at = end;
    visit(path, time);
  });
}

/// By PathId: the computation of all ranks before their calls, ns. O(calls), ranks in threads.
std::vector<std::int64_t> computation_by_path(const Trace& trace, const CallPaths& paths);

}  // namespace slackline
