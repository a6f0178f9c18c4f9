#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/context_scheduler.h"
#include "sim/network/network.h"

namespace slackline::simgrid {

using sim::ContextId;

/// Detects event ties whose order affects the result; see event_ties.cc. Cost: O(1) a message.
class EventTies {
 public:
  /// Both must outlive it.
  EventTies(const sim::ContextScheduler& contexts, const Network& network)
      : contexts_(contexts), network_(network) {}

  void created(ContextId context, ContextId parent);
  void joined(ContextId waiter, ContextId child) { tie_of_[waiter] = tie_of_[child]; }
  /// `until` as in ContextOrder::time_advanced(), which comes before what happens at that time.
  void time_advanced(double until, std::span<const Processors::Ended> ended);
  /// `*_over_now`: another request of that context is over at this time already.
  void message_arrived(ContextId sender, bool sender_over_now, ContextId receiver,
                       bool receiver_over_now, bool tied);
  void message_left(ContextId context);

  bool affect_result() const { return affect_result_; }

 private:
  void untie(std::span<const Processors::Ended> ended);
  void look_around(double until, std::span<const Processors::Ended> ended);
  void set_tie(ContextId context, bool tied, bool over_now);

  const sim::ContextScheduler& contexts_;
  const Network& network_;
  std::vector<std::uint64_t> tie_of_;  ///< by context; the order of those with the same is a guess;
                                       ///< 0: it is known
  std::uint64_t time_ = 0;             ///< number of the current simulated time, from 1
  bool exact_ = true;                  ///< all times so far are SimGrid's to the last bit
  bool affect_result_ = false;
  std::uint64_t last_tie_ =
      0;  ///< of the last context whose message left with one, when, and which
  double last_time_ = -1;
  ContextId last_context_ = sim::kNone;
  std::vector<std::uint64_t> ties_;  // scratch
};

}  // namespace slackline::simgrid
