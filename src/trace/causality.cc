#include "trace/causality.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "trace/message_pairs.h"

namespace slackline {

CausalityCheck count_causality_violations(Trace& trace) {
  CausalityCheck all;
  if (!trace.timed()) return all;
  const auto pairs = pair_messages(trace);
  for (std::size_t to = 0; to < pairs.size(); ++to) {
    const auto rank = static_cast<std::int32_t>(to);
    for (const MessagePair& pair : pairs[to]) {
      if (pair.done == MessagePair::kNeverCompleted) continue;
      ++all.messages;
      const std::int64_t early =
          trace.calls(pair.source).begin_ns(pair.send) - trace.calls(rank).end_ns(pair.done);
      if (early <= 0) continue;
      ++all.violations;
      if (early <= all.worst_ns) continue;
      all.worst_ns = early;
      all.worst = fmt::format("rank {} received from rank {} (tag {}) {} ns before it was sent",
                              rank, pair.source, pair.tag, early);
    }
  }
  if (all.violations > 0) trace.findings().add(kCausalityViolated, all.worst, all.violations);
  return all;
}

}  // namespace slackline
