// Whose order is not known, and whether that matters.
//
// The problem: SimGrid's lazy rates depend on the order in which messages start at one date. That
// order comes from the order in which other messages ended, and of those that end at one date it is
// decided by the last bits of numbers, which only SimGrid's own procedure gives.
//
// The idea: hardly ever does it matter. (It does not to the links that the ended messages leave:
// what is marked for them is what hangs together, whoever comes first.) Strands that messages with
// one date wake up are tied: they have the number of that date. Who wakes up at another date of his
// own is tied no more. Only when two strands with one tie start messages at one date has their
// order been a guess, and the whole simulation is done again in SimGrid's order (simulation.cc).
//
// Cost: O(1) a message.

#include <algorithm>

#include "sim/engine.h"

namespace slackline::sim {

/// Of those whose pauses and computations end at this date, those are tied who end too close
/// together; some may have been tied before, and stay so if they still come together.
void Engine::untie(std::span<const Processors::Ended> ended) {
  if (order_ == OrderOfEnds::follow || !model_.lazy || exact_) return;
  ties_.clear();
  for (const auto& [id, date] : ended) {
    if (strands_[id].tie != 0) ties_.push_back(strands_[id].tie);
  }
  std::ranges::sort(ties_);
  for (const auto& [id, date] : ended) {
    if (strands_[id].tie == 0) continue;
    if (std::ranges::equal_range(ties_, strands_[id].tie).size() == 1) strands_[id].tie = 0;
  }
  for (std::size_t i = 1; i < ended.size(); ++i) {
    if (ended[i].date - ended[i - 1].date > kSameDate * now_) continue;
    strands_[ended[i].id].tie = strands_[ended[i - 1].id].tie = result_.events;
  }
}

/// Who comes at the very end of what is one date may belong to it, or not.
void Engine::look_around(double until, std::span<const Processors::Ended> ended) {
  if (exact_) return;
  const double margin = kSameDate * now_;
  const double last = std::max(network_.last_date(), ended.empty() ? 0 : ended.back().date);
  const double next = std::min(network_.next_date(), processors_.next_date());
  if (next - until <= margin || until - last <= margin) order_matters_ = true;
}

/// A message that the strand has waited for is there.
void Engine::tie(StrandId id, bool tied) {
  if (strands_[id].last_over == now_ && !tied) return;
  strands_[id].tie = tied ? result_.events : 0;
}

void Engine::start_in_order(StrandId id) {
  const std::uint64_t tie = strands_[id].tie;
  if (tie == 0) return;
  if (tie == start_tie_ && start_date_ == now_ && starter_ != id) order_matters_ = true;
  start_tie_ = tie;
  start_date_ = now_;
  starter_ = id;
}

bool Engine::order_matters() const {
  return order_matters_ && order_ == OrderOfEnds::notice && model_.lazy && network_.can_follow();
}

}  // namespace slackline::sim
