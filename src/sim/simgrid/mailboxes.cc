// The order in which contexts post to a rank's two mailboxes.
//
// With eager messages (smpi/async-small-thresh) each SimGrid rank has a mailbox for small messages
// and one for others (SimGrid 4.1, src/smpi/mpi/smpi_request.cpp). Whoever posts a message or a
// receive locks both, looks into one or two of them for the other side, posts, and unlocks; each of
// these is one turn of its actor, and a context that finds them locked waits. It takes no simulated
// time, and messages match all the same; but it orders the messages that start at one time, which
// lazy rates depend on (lazy_sharing.cc).

#include "sim/simgrid/mailboxes.h"

namespace slackline::simgrid {

Mailboxes::Mailboxes(std::int32_t ranks, double eager_below, sim::ContextScheduler& contexts,
                     sim::MessagePassing& messages, const sim::Matching& matching)
    : eager_below_(eager_below),
      contexts_(contexts),
      messages_(messages),
      matching_(matching),
      by_rank_(static_cast<std::size_t>(ranks)) {}

void Mailboxes::created(ContextId context) {
  if (context >= posts_.size()) posts_.resize(context + 1);
  posts_[context] = {};
}

/// The mailboxes that the context's outgoing message goes to.
Mailboxes::Pair& Mailboxes::destination(const ExecutionContext& context) {
  const sim::Message& message = context.posting.outgoing;
  return by_rank_[static_cast<std::size_t>(message.send ? message.peer : context.rank)];
}

bool Mailboxes::step(ContextId id) {
  const ExecutionContext& context = contexts_[id];
  const sim::Message& message = context.posting.outgoing;
  const bool small = static_cast<double>(message.bytes) < eager_below_;
  Post& post = of(id);
  switch (post.stage) {
    case Stage::none:
      return false;
    case Stage::lock:
      post.stage = message.send && !small ? Stage::post : Stage::probe;
      return lock(id);
    case Stage::probe:
      post.stage = small && probes_again(context) ? Stage::probe_again : Stage::post;
      return true;
    case Stage::probe_again:
      post.stage = Stage::post;
      return true;
    case Stage::post:
      messages_.post_now(contexts_[id]);
      post.stage = Stage::unlock;
      return false;
    case Stage::unlock:
      post.stage = Stage::none;
      unlock(id);
      messages_.started(contexts_[id], Request{post.request});
      return true;
  }
  return false;
}

/// A small receive that finds nothing in the mailbox for small messages looks into the other one;
/// so does a small synchronous send, the other way round.
bool Mailboxes::probes_again(const ExecutionContext& context) const {
  const sim::Message& message = context.posting.outgoing;
  const sim::Channel channel = sim::MessagePassing::channel_of(context);
  if (message.send) {
    return is_synchronous(message.mode) && !matching_.expects(channel);
  }
  const sim::TransferId sent = matching_.peek(channel);
  return sent == sim::kNone || !matching_[sent].left;
}

/// False when the context has to wait, as another one holds the mailboxes.
bool Mailboxes::lock(ContextId id) {
  Pair& pair = destination(contexts_[id]);
  if (pair.owner == sim::kNone) {
    pair.owner = id;
    return true;
  }
  pair.waiting.push_back(id);
  contexts_[id].state = ExecutionContext::State::blocked;
  return false;
}

void Mailboxes::unlock(ContextId id) {
  Pair& pair = destination(contexts_[id]);
  pair.owner = sim::kNone;
  if (pair.waiting.empty()) return;
  pair.owner = pair.waiting.front();
  pair.waiting.pop_front();
  contexts_[pair.owner].state = ExecutionContext::State::running;
  contexts_.resume(contexts_[pair.owner]);
}

}  // namespace slackline::simgrid
