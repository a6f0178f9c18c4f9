#include "sim/simgrid/actor_order.h"

namespace slackline::simgrid {

ActorOrder::ActorOrder(std::int32_t ranks, double eager_below, const LazySharing* guessed)
    : ranks_(ranks), eager_below_(eager_below), guessed_(guessed) {}

void ActorOrder::attach(sim::ContextScheduler& contexts, sim::MessagePassing& messages,
                        const sim::Matching& matching, const Network& network) {
  contexts_ = &contexts;
  if (posts_messages()) mailboxes_.emplace(ranks_, eager_below_, contexts, messages, matching);
  if (guessed_ != nullptr) ties_.emplace(contexts, network);
}

void ActorOrder::created(ContextId context, ContextId parent) {
  if (context >= actors_.size()) actors_.resize(context + 1);
  actors_[context] = {};
  if (mailboxes_) mailboxes_->created(context);
  if (ties_) ties_->created(context, parent);
}

void ActorOrder::joined(ContextId waiter, ContextId child) {
  if (ties_) ties_->joined(waiter, child);
}

ActorOrder::Turn ActorOrder::next_turn(ContextId context) {
  Actor& actor = actors_[context];
  if (actor.turns > 0) {
    --actor.turns;
    return Turn::yield;
  }
  if (!mailboxes_ || !mailboxes_->is_posting(context)) return Turn::proceed;
  if (mailboxes_->step(context)) ++actor.turns;
  return Turn::taken;
}

void ActorOrder::message_left(ContextId context) {
  if (ties_) ties_->message_left(context);
}

bool ActorOrder::over_now(ContextId context) const {
  return context != sim::kNone && actors_[context].last_over == contexts_->now();
}

void ActorOrder::message_arrived(ContextId sender, ContextId receiver, bool tied) {
  if (!ties_) return;
  ties_->message_arrived(sender, over_now(sender), receiver, over_now(receiver), tied);
}

/// SimGrid's actor looks at each request by itself: those that are over together cost it turns.
void ActorOrder::request_over(ContextId context, bool last) {
  Actor& actor = actors_[context];
  actor.over_together = over_now(context) ? actor.over_together + 1 : 0;
  actor.last_over = contexts_->now();
  if (last) actor.turns = actor.over_together;
}

void ActorOrder::time_advanced(double until, std::span<const Processors::Ended> ended) {
  if (ties_) ties_->time_advanced(until, ended);
}

bool ActorOrder::gives_up() const {
  return ties_ && ties_->affect_result() && guessed_->selective_is_affordable();
}

}  // namespace slackline::simgrid
