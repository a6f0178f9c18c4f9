#include "analysis/paths/path_flows.h"

#include "calls/message_pairs.h"

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

std::vector<TimelineFlow> message_flows(const Trace& trace) {
  std::vector<TimelineFlow> flows;
  const auto pairs = pair_messages(trace);
  for (std::size_t rank = 0; rank < pairs.size(); ++rank) {
    for (const MessagePair& pair : pairs[rank]) {
      const bool completed = pair.done != MessagePair::kNeverCompleted;
      flows.push_back({pair.source, pair.send, static_cast<std::int32_t>(rank),
                       completed ? pair.done : pair.post});
    }
  }
  return flows;
}

}  // namespace slackline
