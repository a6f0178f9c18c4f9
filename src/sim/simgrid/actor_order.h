#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/engine/context_order.h"
#include "sim/simgrid/event_ties.h"
#include "sim/simgrid/lazy_sharing.h"
#include "sim/simgrid/mailboxes.h"

namespace slackline::simgrid {

/// The order in which SimGrid's actors act at one simulated time. An actor runs up to its next call
/// of the simulation kernel, and then lets the others have their turn: to post a message, to look
/// at each request that is over, and, where ranks have two mailboxes, to lock, search and unlock
/// them (mailboxes.h). It takes no simulated time, but lazy rates depend on it (lazy_sharing.cc).
class ActorOrder final : public sim::ContextOrder {
 public:
  /// `eager_below` is the model's. With `guessed`, which must outlive it, the order of event ties
  /// is a guess: the simulation is given up when that affects its result, and SelectiveSharing
  /// would be affordable.
  ActorOrder(std::int32_t ranks, double eager_below, const LazySharing* guessed);

  void attach(sim::ContextScheduler& contexts, sim::MessagePassing& messages,
              const sim::Matching& matching, const Network& network) override;
  void created(ContextId context, ContextId parent) override;
  void joined(ContextId waiter, ContextId child) override;
  Turn next_turn(ContextId context) override;
  void acted(ContextId context) override { ++actors_[context].turns; }
  bool posts_messages() const override { return eager_below_ > 0; }
  void begin_post(ContextId context) override { mailboxes_->begin(context); }
  void posted(ContextId context, const Request& request) override {
    mailboxes_->keep_request(context, request);
  }
  void message_left(ContextId context) override;
  void message_arrived(ContextId sender, ContextId receiver, bool tied) override;
  void request_over(ContextId context, bool last) override;
  void time_advanced(double until, std::span<const Processors::Ended> ended) override;
  bool gives_up() const override;

 private:
  struct Actor {
    std::uint32_t turns = 0;          ///< to let pass before it goes on
    std::uint32_t over_together = 0;  ///< requests beyond the first that were over at `last_over`
    double last_over = -1;            ///< when a request that it waits for was over, in seconds
  };

  bool over_now(ContextId context) const;

  const std::int32_t ranks_;
  const double eager_below_;
  const LazySharing* const guessed_;
  const sim::ContextScheduler* contexts_ = nullptr;
  std::vector<Actor> actors_;  ///< by context
  std::optional<Mailboxes> mailboxes_;
  std::optional<EventTies> ties_;
};

}  // namespace slackline::simgrid
