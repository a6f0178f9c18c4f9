#include "calls/causality.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "calls/message_pairs.h"
#include "trace/one_clock.h"

namespace slackline {
namespace {

/// What is known of one rank's receives; the words come last, for the worst of all only.
struct Received {
  std::uint64_t messages = 0;
  std::uint64_t violations = 0;
  std::uint64_t on_one_clock = 0;
  std::int64_t worst_ns = 0;
  MessagePair worst{};
};

}  // namespace

CausalityCheck count_causality_violations(Trace& trace) {
  CausalityCheck all;
  if (!trace.timed()) return all;
  std::vector<Received> by_rank(static_cast<std::size_t>(trace.ranks()));
  for_each_pair(trace, [&](std::size_t to, const MessagePair& pair) {
    if (pair.done == MessagePair::kNeverCompleted) return;
    Received& mine = by_rank[to];
    ++mine.messages;
    const std::int64_t early = trace.calls(pair.source).begin_ns(pair.send) -
                               trace.calls(static_cast<std::int32_t>(to)).end_ns(pair.done);
    if (early <= 0) return;
    ++mine.violations;
    if (have_one_clock(trace, pair.source, static_cast<std::int32_t>(to))) ++mine.on_one_clock;
    if (early <= mine.worst_ns) return;
    mine.worst_ns = early;
    mine.worst = pair;
  });
  std::uint64_t on_one_clock = 0;
  for (std::size_t to = 0; to < by_rank.size(); ++to) {
    const Received& received = by_rank[to];
    all.messages += received.messages;
    all.violations += received.violations;
    on_one_clock += received.on_one_clock;
    if (received.worst_ns <= all.worst_ns) continue;
    all.worst_ns = received.worst_ns;
    all.worst = fmt::format("rank {} received from rank {} (tag {}) {} ns before it was sent", to,
                            received.worst.source, received.worst.tag, received.worst_ns);
  }
  if (on_one_clock > 0) trace.findings().add(kReceivedBeforeSent, all.worst, on_one_clock);
  if (all.violations > on_one_clock) {
    trace.findings().add(kCausalityViolated, all.worst, all.violations - on_one_clock);
  }
  return all;
}

}  // namespace slackline
