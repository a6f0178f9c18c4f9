// Who comes first at a rank's two mailboxes.
//
// With eager messages (smpi/async-small-thresh) each SimGrid rank has a mailbox for small messages
// and one for others. Who posts a message or a receive locks both, looks into one or two of them
// for the other side, posts, and unlocks; each of these is one turn, and who finds them locked
// waits its turn. It takes no time, and messages match all the same; but it orders the messages
// that start at one date, which lazy rates depend on (lazy_update.cc).

#include "sim/engine.h"

namespace slackline::sim {

/// Whose mailboxes `outgoing` goes to.
std::int32_t Engine::destination(const Strand& strand) const {
  return strand.outgoing.send ? strand.outgoing.peer : strand.rank;
}

void Engine::step_posting(StrandId id) {
  Strand& strand = strands_[id];
  const bool small = static_cast<double>(strand.outgoing.bytes) < model_.eager_below;
  switch (strand.posting) {
    case Posting::none:
      return;
    case Posting::lock:
      strand.posting = strand.outgoing.send && !small ? Posting::post : Posting::probe;
      return lock_mailboxes(id);
    case Posting::probe:
      strand.posting = small && probes_again(strand) ? Posting::probe_again : Posting::post;
      return take_turn(strand);
    case Posting::probe_again:
      strand.posting = Posting::post;
      return take_turn(strand);
    case Posting::post:
      if (strand.outgoing.send) {
        hand_over(id);
      } else {
        post_receive(id, strand.outgoing);
      }
      strand.posting = Posting::unlock;
      return;
    case Posting::unlock:
      strand.posting = Posting::none;
      unlock_mailboxes(id);
      take_turn(strand);
      return started(id, strand.outgoing, strand.posted);
  }
}

/// A small receive that finds nothing in the mailbox for small messages looks into the other one;
/// so does a small synchronous send, the other way round.
bool Engine::probes_again(const Strand& strand) {
  const Message& message = strand.outgoing;
  if (message.send) {
    const bool synchronous = message.mode == Operation::ssend || message.mode == Operation::issend;
    return synchronous && !matching_.expects(channel_of(strand));
  }
  const TransferId sent = matching_.peek(channel_of(strand));
  return sent == kNone || !matching_[sent].left;
}

void Engine::lock_mailboxes(StrandId id) {
  Mailboxes& boxes = mailboxes_[static_cast<std::size_t>(destination(strands_[id]))];
  if (boxes.owner == kNone) {
    boxes.owner = id;
    return take_turn(strands_[id]);
  }
  boxes.waiting.push_back(id);
  strands_[id].state = State::locked;
}

void Engine::unlock_mailboxes(StrandId id) {
  Mailboxes& boxes = mailboxes_[static_cast<std::size_t>(destination(strands_[id]))];
  boxes.owner = kNone;
  if (boxes.waiting.empty()) return;
  boxes.owner = boxes.waiting.front();
  boxes.waiting.pop_front();
  strands_[boxes.owner].state = State::running;
  resume(boxes.owner);
}

}  // namespace slackline::sim
