// Waiting: what a strand's pending messages and side strands still need, and the vertex that their
// completion writes.
//
// A receive posted at time p completes no earlier than p + o. Where the strand's own path has paid
// an o since p that bound can never decide, for any parameters, and is left out; where the receive
// was posted right where it is waited for, the bound is the path's own edge with one o more.

#include "graph/program_walk.h"

#include <algorithm>

namespace slackline {

bool ProgramWalk::ready(const Pending& pending) const {
  switch (pending.kind) {
    case Pending::Kind::send:
      return transfers_.send_ready(pending.id);
    case Pending::Kind::receive:
      return transfers_.receive_ready(pending.id);
    case Pending::Kind::strand:
      return strands_[pending.id].finished;
  }
  return true;
}

void ProgramWalk::wait_for(const Pending& pending, StrandId id) {
  switch (pending.kind) {
    case Pending::Kind::send:
      transfers_[pending.id].sender_waiting = id;
      return;
    case Pending::Kind::receive:
      transfers_[pending.id].receiver_waiting = id;
      return;
    case Pending::Kind::strand:
      strands_[pending.id].waiter = id;
      return;
  }
}

const ProgramWalk::Pending* ProgramWalk::blocking(const Strand& strand) const {
  if (!strand.waiting) return nullptr;
  const auto found =
      std::ranges::find_if(strand.pending, [&](const Pending& p) { return !ready(p); });
  return found == strand.pending.end() ? nullptr : &*found;
}

bool ProgramWalk::complete(StrandId id) {
  Strand& strand = strands_[id];
  if (const Pending* open = blocking(strand); open != nullptr) {
    wait_for(*open, id);
    return false;
  }
  write_completion(strand);
  strand.waiting = false;
  return true;
}

/// The bound `posted + o`, unless it can never decide.
void ProgramWalk::add_posting(const Strand& strand, const PathPoint& posted,
                              std::uint8_t& path_overheads) {
  if (posted.overheads < strand.overheads) return;
  if (posted.tail == strand.tail && posted.gap_ns == strand.gap_ns) {
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

void ProgramWalk::write_completion(Strand& strand) {
  edges_.clear();
  std::uint8_t path_overheads = 0;
  for (const Pending& p : strand.pending) {
    if (p.kind != Pending::Kind::receive) continue;
    const Transfer& t = transfers_[p.id];
    // After a rendezvous the posting is in the hand-over already.
    if (!t.receive_released && t.receive_after == t.sent) {
      add_posting(strand, t.posted, path_overheads);
    }
  }
  for (const Pending& p : strand.pending) finish_pending(p);
  strand.pending.clear();
  if (edges_.empty() && path_overheads == 0) return;
  extend(strand, path_overheads);
  for (const Edge& e : edges_) builder_.edge(e);
}

/// Adds what the completion of `pending` waits for, and lets go of it.
void ProgramWalk::finish_pending(const Pending& pending) {
  if (pending.kind == Pending::Kind::strand) {
    const Strand& side = strands_[pending.id];
    edges_.push_back(Edge{.from = side.tail,
                          .kind = EdgeKind::order,
                          .latencies = 0,
                          .overheads = 0,
                          .nanoseconds = side.gap_ns,
                          .bytes = 0});
    strands_.release(pending.id);
    return;
  }
  const Transfer& t = transfers_[pending.id];
  if (pending.kind == Pending::Kind::receive) {
    if (!t.receive_released) edges_.push_back(transfers_.receive_edge(pending.id));
  } else if (t.send_after != kNoVertex) {
    edges_.push_back(transfers_.send_edge(pending.id));
  }
  transfers_.drop(pending.id);
}

bool ProgramWalk::complete_probe(StrandId id) {
  Strand& strand = strands_[id];
  const MessageId found = transfers_.peek_send(strand.probed);
  if (found == kNoMessage) {
    transfers_.wait_for_arrival(strand.probed, id);
    return false;
  }
  const Transfer& t = transfers_[found];
  strand.probing = false;
  extend(strand, 0);
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
