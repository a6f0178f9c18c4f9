// One replay (replay.h) finds the order; the rules are those of the measured run: who waited for
// whom is told by the data and by the times. They are the union of what wait states and the
// critical path ask for, so that one order serves both.

#include "calls/causal_order.h"

#include "calls/replay.h"

namespace slackline {
namespace {

class MeasuredRules {
 public:
  MeasuredRules(const Trace& trace, const CallMatching& matching,
                const std::vector<bool>& not_synchronising, const WindowWaits& windows)
      : trace_(trace),
        first_(matching.collectives().data()),
        not_synchronising_(not_synchronising),
        windows_(windows) {}

  const WindowWaits& window_waits() const { return windows_; }

  bool sender_waits(const MessageCalls& m) const { return sender_waited(trace_, m); }
  CollectiveRule rule(const CollectiveInstance& c) const {
    if (not_synchronising_[static_cast<std::size_t>(&c - first_)]) return CollectiveRule::none;
    return c.operation == Operation::finalize || c.operation == Operation::init
               ? CollectiveRule::all_wait
               : rule_by_data(c);
  }
  void step(std::int32_t rank, CallIndex /*call*/) {
    if (rank != rank_) {
      changes_.push_back({rank, 0});
      rank_ = rank;
    }
    ++changes_.back().second;
  }
  const std::vector<std::pair<std::int32_t, CallIndex>>& changes() const { return changes_; }

 private:
  const Trace& trace_;
  const CollectiveInstance* first_;
  const std::vector<bool>& not_synchronising_;
  const WindowWaits& windows_;
  std::int32_t rank_ = -1;
  std::vector<std::pair<std::int32_t, CallIndex>> changes_;
};

}  // namespace

CausalOrder::CausalOrder(const Trace& trace, const CallMatching& matching)
    : not_synchronising_(slackline::not_synchronising(trace, matching)), window_waits_(trace) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    calls_.push_back(static_cast<CallIndex>(trace.calls(r).size()));
  }
  MeasuredRules rules(trace, matching, not_synchronising_, window_waits_);
  Replay replay(trace, matching, rules);
  replay.run();
  released_ = replay.released();
  deadlocked_ = replay.deadlocked();
  bursts_.reserve(rules.changes().size());
  for (const auto& [rank, calls] : rules.changes()) bursts_.push_back({rank, calls});
  if (released_ > 0) number_calls();
}

void CausalOrder::number_calls() {
  for (const CallIndex calls : calls_) position_.emplace_back(calls);
  std::uint64_t at = 0;
  forward([&](std::int32_t rank, CallIndex call) {
    position_[static_cast<std::size_t>(rank)][call] = at++;
  });
}

}  // namespace slackline
