#include "calls/collective_times.h"

#include <algorithm>

namespace slackline {

CollectiveTimes collective_times(const Trace& trace, const CallMatching& matching,
                                 const CollectiveInstance& collective) {
  CollectiveTimes times;
  bool ended = true;
  std::int64_t last_end = -kTimeLimit_ns;
  for (const CollectiveMember& member : matching.members(collective)) {
    const RankCalls& calls = trace.calls(member.rank);
    const std::int64_t begin = calls.begin_ns(member.enter);
    const bool first = times.last_rank < 0;
    times.first_begin_ns = first ? begin : std::min(times.first_begin_ns, begin);
    if (first || begin > times.last_begin_ns) {
      times.last_begin_ns = begin;
      times.last_rank = member.rank;
    }
    ended = ended && member.done != kNoCall;
    if (member.done != kNoCall) last_end = std::max(last_end, calls.end_ns(member.done));
  }
  if (ended && times.last_rank >= 0) times.last_end_ns = last_end;
  return times;
}

}  // namespace slackline
