#include "analysis/waits/waits_in_interval.h"

#include <algorithm>

namespace slackline {
namespace {

bool waits_at_its_end(WaitPattern pattern) {
  return pattern == WaitPattern::init_completion || pattern == WaitPattern::barrier_completion ||
         pattern == WaitPattern::nxn_completion;
}

TimeInterval when(const RankCalls& calls, const WaitState& s) {
  if (waits_at_its_end(s.pattern)) {
    return {calls.end_ns(s.call) - s.wait_ns, calls.end_ns(s.call)};
  }
  return {calls.begin_ns(s.call), calls.begin_ns(s.call) + s.wait_ns};
}

}  // namespace

WaitStates waits_in_interval(const Trace& trace, const WaitStates& waits,
                             const TimeInterval& interval) {
  WaitStates inside;
  inside.clipped = waits.clipped;
  inside.clipped_ns = waits.clipped_ns;
  inside.released = waits.released;
  for (WaitState s : waits.states) {
    const RankCalls& calls = trace.calls(s.rank);
    const Operation operation = calls.operation(s.call);
    if (is_init(operation) || operation == Operation::finalize) continue;
    const TimeInterval wait = when(calls, s);
    const std::int64_t whole = s.wait_ns;
    s.wait_ns = std::min(wait.end_ns, interval.end_ns) - std::max(wait.begin_ns, interval.begin_ns);
    if (s.wait_ns <= 0) continue;
    s.between_polls_ns =
        static_cast<std::int64_t>(static_cast<double>(s.between_polls_ns) *
                                  static_cast<double>(s.wait_ns) / static_cast<double>(whole));
    inside.states.push_back(s);
  }
  return inside;
}

}  // namespace slackline
