#include "analysis/summary/failed_polls.h"

#include <algorithm>

namespace slackline {

FailedPolls::FailedPolls(const Trace& trace, const WaitStates& waits)
    : by_rank_(static_cast<std::size_t>(trace.ranks())) {
  for (const WaitState& w : waits.states) {
    if (!w.asked_again || !w.effective || w.cause_rank < 0 || w.cause_call == kNoCall) continue;
    const RankCalls& calls = trace.calls(w.rank);
    // Not cut to the interval, as the wait is.
    const std::int64_t came = trace.calls(w.cause_rank).begin_ns(w.cause_call);
    const std::int64_t end = calls.end_ns(w.call);
    Poll poll{w.call, {std::min(came, end) - calls.begin_ns(w.call), {}}};
    if (came < end) poll.wait.source = CallSource{w.cause_rank, w.cause_call};
    by_rank_[static_cast<std::size_t>(w.rank)].push_back(poll);
  }
  for (auto& of_rank : by_rank_) std::ranges::sort(of_rank, {}, &Poll::call);
}

PolledWait FailedPolls::of(std::int32_t rank, CallIndex call) const {
  const auto& own = by_rank_[static_cast<std::size_t>(rank)];
  const auto poll = std::ranges::lower_bound(own, call, {}, &Poll::call);
  return poll == own.end() || poll->call != call ? PolledWait{} : poll->wait;
}

}  // namespace slackline
