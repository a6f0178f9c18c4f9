// What each MPI call does to its rank's strand: posts messages, starts requests, loads the steps of
// a collective, or begins to wait.

#include "graph/program_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "calls/findings.h"

namespace slackline {
namespace {

constexpr FindingKind kBadCommunicator{
    "bad_communicator", Severity::data_loss,
    "Calls that refer to a communicator that is not in the trace; they were omitted."};

}  // namespace

/// What the actions of a call do to its rank's strand.
class ProgramWalk::Actions {
 public:
  Actions(ProgramWalk& walk, StrandId id) : walk_(walk), strand_(walk.strands_[id]) {}

  void send(const PostedMessage& m) {
    if (walk_.peer_exists(m.peer)) walk_.started(strand_, m, post_send(m));
  }
  void receive(const PostedMessage& m) {
    if (walk_.peer_exists(m.peer)) walk_.started(strand_, m, post_receive(m));
  }
  void exchange(const PostedMessage* from, const PostedMessage& to) {
    if (from != nullptr && walk_.peer_exists(from->peer)) {
      strand_.pending.push_back(post_receive(*from));
    }
    if (walk_.peer_exists(to.peer)) strand_.pending.push_back(post_send(to));
    wait_for_pending();
  }
  void complete(const Call& call) {
    for_each_completed_request(
        call, [this](std::uint32_t serial) { walk_.take_request(strand_, serial); });
    wait_for_pending();
  }
  void unsuccessful_test(std::uint32_t /*request*/) {}
  void free_request(std::uint32_t serial) { walk_.forget_request(strand_, serial); }
  void probe(const Call& call) { walk_.enter_probe(strand_, call); }
  void collective(const Call& call) {
    if (call.request == kRequestNone) {
      walk_.enter_collective(strand_, call);
    } else {
      walk_.enter_icollective(strand_, call);
    }
  }
  void one_sided() { walk_.builder_.findings().add(kOneSidedNotModelled); }
  void io() { walk_.builder_.findings().add(kIoNotModelled); }
  void initialize() {}
  void finalize() { strand_.next_call = kNone; }  // the program ends here

 private:
  Pending post_send(const PostedMessage& m) {
    return walk_.send(strand_, m.peer, m.tag, m.comm, m.bytes, m.mode);
  }
  Pending post_receive(const PostedMessage& m) {
    return walk_.receive(strand_, m.peer, m.tag, m.comm);
  }
  void wait_for_pending() { strand_.waiting = !strand_.pending.empty(); }

  ProgramWalk& walk_;
  Strand& strand_;  // stays where it is while others are started
};

void ProgramWalk::enter_call(StrandId id, const Call& call) {
  Actions actions(*this, id);
  visit_actions(call, actions);
}

bool ProgramWalk::peer_exists(std::int32_t peer) {
  if (peer >= 0 && peer < trace_.ranks()) return true;
  if (peer == kPeerAny) {
    builder_.findings().add(kUnresolvedWildcard);
  } else if (peer != kPeerNull && peer != kPeerNone) {
    builder_.findings().add(kBadPeer, fmt::format("rank {}", peer));
  }
  return false;
}

bool ProgramWalk::communicator_exists(std::uint32_t comm) {
  if (comm < trace_.communicators().size()) return true;
  builder_.findings().add(kBadCommunicator, fmt::format("communicator {}", comm));
  return false;
}

ProgramWalk::Pending ProgramWalk::send(Strand& strand, std::int32_t peer, std::int64_t tag,
                                       std::uint32_t comm, std::uint64_t bytes, Operation mode) {
  const VertexId sent = extend(strand, 1);
  const MessageChannel channel{
      .source = strand.rank, .destination = peer, .tag = tag, .comm = comm};
  return {Pending::Kind::send, transfers_.post_send(channel, sent, current_call(strand), bytes,
                                                    is_synchronous(mode), is_buffered(mode))};
}

ProgramWalk::Pending ProgramWalk::receive(Strand& strand, std::int32_t peer, std::int64_t tag,
                                          std::uint32_t comm) {
  const MessageChannel channel{
      .source = peer, .destination = strand.rank, .tag = tag, .comm = comm};
  return {Pending::Kind::receive, transfers_.post_receive(channel, here(strand))};
}

/// A message has been posted: its call waits for it, or a later one for its request.
void ProgramWalk::started(Strand& strand, const PostedMessage& message, const Pending& pending) {
  if (!message.blocking) return request(strand.rank, message.request, pending);
  strand.pending.push_back(pending);
  strand.waiting = true;
}

/// A successful probe waits for the message as a receive would, but leaves it.
void ProgramWalk::enter_probe(Strand& strand, const Call& call) {
  if (!peer_exists(call.peer)) return;
  strand.probing = true;
  strand.probed = {
      .source = call.peer, .destination = strand.rank, .tag = call.tag, .comm = call.comm};
}

void ProgramWalk::enter_collective(Strand& strand, const Call& call) {
  if (!is_collective(call) || !communicator_exists(collective_comm(call))) return;
  load_collective(strand, strand, call);
}

/// A nonblocking collective progresses on its own, beside its rank's program.
void ProgramWalk::enter_icollective(Strand& strand, const Call& call) {
  if (!is_collective(call) || !communicator_exists(collective_comm(call))) return;
  request(strand.rank, call.request, start_side_strand(strand, call));
}

/// Starts a collective that progresses beside `strand`, its rank's program.
ProgramWalk::Pending ProgramWalk::start_side_strand(Strand& strand, const Call& call) {
  const StrandId id = strands_.acquire();
  Strand& side = strands_[id];
  side.main = false;
  side.rank = strand.rank;
  side.tail = strand.tail;
  side.gap_ns = strand.gap_ns;
  side.overheads = strand.overheads;
  side.call = strand.call;
  load_collective(side, strand, call);
  if (side.collective == nullptr) {
    side.finished = true;
  } else {
    ready_.push_back(id);
  }
  return {Pending::Kind::strand, id};
}

/// Gives `strand` the steps of the collective that `program` (its rank's) has reached.
void ProgramWalk::load_collective(Strand& strand, const Strand& program, const Call& call) {
  RankState& state = ranks_[static_cast<std::size_t>(program.rank)];
  const auto [instance, sequence, rank] =
      state.collectives.enter(collectives_, program.rank, collective_comm(call));
  if (instance.members.size() < 2) return;
  if (rank < 0) return builder_.findings().add(kBadCommunicator, "a rank outside of its members");
  strand.collective = &instance;
  strand.collective_tag = collective_tag(sequence);
  strand.step = 0;
  strand.steps.clear();
  instance.algorithm->expand(instance.call, rank, own_counts(instance, call.args), strand.steps);
  // Whatever an algorithm leaves started ends with the call.
  strand.steps.push_back({.kind = CollectiveStep::Kind::wait_all});
}

void ProgramWalk::request(std::int32_t rank, std::uint32_t serial, const Pending& pending) {
  if (serial != kRequestNone) ranks_[static_cast<std::size_t>(rank)].requests[serial] = pending;
}

void ProgramWalk::take_request(Strand& strand, std::uint32_t serial) {
  auto& requests = ranks_[static_cast<std::size_t>(strand.rank)].requests;
  if (const std::optional<Pending> found = requests.take(serial)) {
    strand.pending.push_back(*found);
  }
}

void ProgramWalk::forget_request(Strand& strand, std::uint32_t serial) {
  auto& requests = ranks_[static_cast<std::size_t>(strand.rank)].requests;
  const std::optional<Pending> found = requests.take(serial);
  if (found && found->kind != Pending::Kind::strand) transfers_.drop(found->id);
}

}  // namespace slackline
