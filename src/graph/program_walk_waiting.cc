// Waiting: what a context's pending messages and side contexts still need, and the vertex that
// their completion writes.
//
// A receive posted at time p completes no earlier than p + o. Where the context's own path has paid
// an o since p that bound can never decide, for any parameters, and is left out; where the receive
// was posted right where it is waited for, the bound is the path's own edge with one o more.

#include "graph/program_walk.h"

#include <algorithm>

namespace slackline {

bool ProgramWalk::ready(const Pending& pending) const {
  switch (pending.kind) {
    case Pending::Kind::send:
      return messages_.send_ready(pending.id);
    case Pending::Kind::receive:
      return messages_.receive_ready(pending.id);
    case Pending::Kind::context:
      return contexts_[pending.id].finished;
    case Pending::Kind::answer:
      return true;
  }
  return true;
}

void ProgramWalk::wait_for(const Pending& pending, ContextId id) {
  switch (pending.kind) {
    case Pending::Kind::send:
      messages_[pending.id].sender_waiting = id;
      return;
    case Pending::Kind::receive:
      messages_[pending.id].receiver_waiting = id;
      return;
    case Pending::Kind::context:
      contexts_[pending.id].waiter = id;
      return;
    case Pending::Kind::answer:
      return;
  }
}

const ProgramWalk::Pending* ProgramWalk::blocking(const Context& context) const {
  if (!context.waiting) return nullptr;
  const auto found =
      std::ranges::find_if(context.pending, [&](const Pending& p) { return !ready(p); });
  return found == context.pending.end() ? nullptr : &*found;
}

bool ProgramWalk::complete(ContextId id) {
  Context& context = contexts_[id];
  if (const Pending* open = blocking(context); open != nullptr) {
    wait_for(*open, id);
    return false;
  }
  write_completion(context);
  context.waiting = false;
  return true;
}

/// The bound `posted + o`, unless it can never decide.
void ProgramWalk::add_posting(const Context& context, const PathPoint& posted,
                              std::uint8_t& path_overheads) {
  if (posted.overheads < context.overheads) return;
  if (posted.tail == context.tail && posted.gap_ns == context.gap_ns) {
    path_overheads = 1;
    return;
  }
  if (!edges_.empty() && edges_.back().kind == EdgeKind::order &&
      edges_.back().from == posted.tail) {
    edges_.back().nanoseconds = std::max(edges_.back().nanoseconds, posted.gap_ns);
    return;
  }
  edges_.push_back(Edge{.from = posted.tail,
                        .kind = EdgeKind::order,
                        .latencies = 0,
                        .overheads = 1,
                        .nanoseconds = posted.gap_ns,
                        .bytes = 0});
}

void ProgramWalk::write_completion(Context& context) {
  edges_.clear();
  sent_.clear();
  received_.clear();
  std::uint8_t path_overheads = 0;
  for (const Pending& p : context.pending) {
    if (p.kind != Pending::Kind::receive) continue;
    const MessageState& t = messages_[p.id];
    // After a rendezvous the posting is in the hand-over already.
    if (!t.receive_released && !t.free && t.receive_after == t.sent) {
      add_posting(context, t.posted, path_overheads);
    }
  }
  if (serial_links_ && data_waits_) occupy_links(context);
  completed_sends_.clear();
  for (const Pending& p : context.pending) finish_pending(p);
  context.pending.clear();
  if (edges_.empty() && path_overheads == 0 && completed_sends_.empty()) return;
  const VertexId completion = extend(context, path_overheads);
  if (!sent_.empty()) context.sending.completed(completion);
  if (!received_.empty()) context.receiving.completed(completion);
  for (const Edge& e : edges_) builder_.edge(e);
  for (const std::uint32_t send : completed_sends_) (*log_)[send].completed = completion;
}

/// Adds the time that the links need for what the pending messages carry after a handshake.
void ProgramWalk::occupy_links(Context& context) {
  for (const Pending& p : context.pending) {
    if (!p.is_message()) continue;
    const MessageState& t = messages_[p.id];
    const bool released = t.send_released || t.receive_released;
    if (!t.rendezvous || t.local || t.free || released || t.size <= kShortMessage_bytes) continue;
    const std::uint64_t bytes = options_.link.bytes(t.size);
    const RankPair pair{t.channel.source, t.channel.destination};
    if (p.kind == Pending::Kind::receive) {
      received_.push_back({t.posted, bytes, pair});
    } else {
      sent_.push_back({{t.sent, 0, 0, t.send_call}, bytes, pair});
    }
  }
  const auto add = [&](std::optional<Edge> edge) {
    if (edge) edges_.push_back(*edge);
  };
  add(context.sending.complete(sent_, 0, builder_));
  add(context.receiving.complete(received_, 1, builder_));
}

/// Adds what the completion of `pending` waits for, and lets go of it.
void ProgramWalk::finish_pending(const Pending& pending) {
  if (pending.kind == Pending::Kind::context) {
    const Context& side = contexts_[pending.id];
    edges_.push_back(Edge{.from = side.tail,
                          .kind = EdgeKind::order,
                          .latencies = 0,
                          .overheads = 0,
                          .nanoseconds = side.gap_ns,
                          .bytes = 0});
    contexts_.release(pending.id);
    return;
  }
  if (pending.kind == Pending::Kind::answer) {
    if (answers_[pending.id].from != kNoVertex) edges_.push_back(answers_[pending.id]);
    return;
  }
  const MessageState& t = messages_[pending.id];
  if (pending.kind == Pending::Kind::receive) {
    if (!t.receive_released) edges_.push_back(messages_.receive_edge(pending.id));
  } else if (log_ != nullptr) {
    if (!t.send_released) completed_sends_.push_back(t.log_index);
  } else if (t.send_after != kNoVertex) {
    edges_.push_back(messages_.send_edge(pending.id));
  }
  messages_.drop(pending.id);
}

bool ProgramWalk::complete_probe(ContextId id) {
  Context& context = contexts_[id];
  const MessageId found = messages_.peek_send(context.probed);
  if (found == kNoMessage) {
    messages_.wait_for_arrival(context.probed, id);
    return false;
  }
  const MessageState& t = messages_[found];
  context.probing = false;
  extend(context, 0);
  const std::uint8_t latencies = t.local ? 0 : 1;
  builder_.edge(Edge{.from = t.sent,
                     .kind = EdgeKind::message,
                     .latencies = latencies,
                     .overheads = 0,
                     .nanoseconds = 0,
                     .bytes = t.rendezvous || t.local ? 0 : t.bytes});
  return true;
}

}  // namespace slackline
