#include "analysis/paths/path_flows.h"

#include <algorithm>
#include <utility>

namespace slackline {

std::vector<TimelineFlow> critical_path_flows(const std::vector<RunStep>& steps) {
  std::vector<TimelineFlow> flows;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const RunStep& from = steps[i - 1];  // the computation that ends with the call waited for
    const RunStep& to = steps[i];
    if (from.rank != to.rank) flows.push_back({from.rank, from.call, to.rank, to.call});
  }
  return flows;
}

std::vector<TimelineFlow> message_flows(const CallMatching& matching) {
  std::vector<const MessageCalls*> received;
  for (const MessageCalls& m : matching.messages()) {
    if (m.matched()) received.push_back(&m);
  }
  std::ranges::stable_sort(
      received, {}, [](const MessageCalls* m) { return std::pair(m->destination, m->receive); });
  std::vector<TimelineFlow> flows;
  flows.reserve(received.size());
  for (const MessageCalls* m : received) {
    const bool completed = m->receive_done != kNoCall;
    flows.push_back({m->source, m->send, m->destination, completed ? m->receive_done : m->receive});
  }
  return flows;
}

}  // namespace slackline
