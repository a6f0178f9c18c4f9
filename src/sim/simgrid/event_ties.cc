// Detects event ties whose order affects the result.
//
// The problem: SimGrid's lazy rates depend on the order in which messages leave at one simulated
// time. That order comes from the order in which other messages ended, and of those that end at one
// time it is decided by the last bits of numbers, which only SimGrid's own procedure gives.
//
// The idea: hardly ever does it matter. (It does not to the links that the ended messages leave:
// what is marked for them is a connected component, whichever comes first.) Contexts that are woken
// up by messages of one time are tied: they have the number of that time. A context that wakes up
// at another time of its own is tied no more. Only when the messages of two contexts with one tie
// leave at one time has their order been a guess, and the whole simulation is done again in
// SimGrid's order (sim/simulation.cc).
//
// Cost: O(1) a message.

#include "sim/simgrid/event_ties.h"

#include <algorithm>

namespace slackline::simgrid {

void EventTies::created(ContextId context, ContextId parent) {
  if (context >= tie_of_.size()) tie_of_.resize(context + 1);
  tie_of_[context] = parent == sim::kNone ? 0 : tie_of_[parent];
}

void EventTies::time_advanced(double until, std::span<const Processors::Ended> ended) {
  ++time_;
  if (exact_) return;
  untie(ended);
  look_around(until, ended);
}

/// Contexts whose pauses and computations end too close together at this time are tied; some may
/// have been tied before, and stay so if they still come together.
void EventTies::untie(std::span<const Processors::Ended> ended) {
  ties_.clear();
  for (const auto& [id, time] : ended) {
    if (tie_of_[id] != 0) ties_.push_back(tie_of_[id]);
  }
  std::ranges::sort(ties_);
  for (const auto& [id, time] : ended) {
    if (tie_of_[id] == 0) continue;
    if (std::ranges::equal_range(ties_, tie_of_[id]).size() == 1) tie_of_[id] = 0;
  }
  for (std::size_t i = 1; i < ended.size(); ++i) {
    if (ended[i].time - ended[i - 1].time > kSameTime * contexts_.now()) continue;
    tie_of_[ended[i].id] = tie_of_[ended[i - 1].id] = time_;
  }
}

/// What is due at the very end of the present time's precision may belong to it, or not.
void EventTies::look_around(double until, std::span<const Processors::Ended> ended) {
  const double margin = kSameTime * contexts_.now();
  const double last = std::max(network_.last_event_time(), ended.empty() ? 0 : ended.back().time);
  const double next = std::min(network_.next_time(), contexts_.processors().next_time());
  if (next - until <= margin || until - last <= margin) affect_result_ = true;
}

void EventTies::message_arrived(ContextId sender, bool sender_over_now, ContextId receiver,
                                bool receiver_over_now, bool tied) {
  exact_ = false;
  const bool both = sender != sim::kNone && receiver != sim::kNone && tie_of_[sender] != 0 &&
                    tie_of_[sender] == tie_of_[receiver];
  if (sender != sim::kNone) set_tie(sender, tied || both, sender_over_now);
  if (receiver != sim::kNone) set_tie(receiver, tied || both, receiver_over_now);
}

/// A message arrives for which the context has waited.
void EventTies::set_tie(ContextId context, bool tied, bool over_now) {
  if (over_now && !tied) return;
  tie_of_[context] = tied ? time_ : 0;
}

void EventTies::message_left(ContextId context) {
  const std::uint64_t tie = tie_of_[context];
  if (tie == 0) return;
  const double now = contexts_.now();
  if (tie == last_tie_ && last_time_ == now && last_context_ != context) affect_result_ = true;
  last_tie_ = tie;
  last_time_ = now;
  last_context_ = context;
}

}  // namespace slackline::simgrid
