// What each MPI call does to its rank's context: posts messages, starts requests, loads the steps
// of a collective, or begins to wait.

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

/// What the actions of a call do to its rank's context.
class ProgramWalk::Actions {
 public:
  Actions(ProgramWalk& walk, ContextId id) : walk_(walk), context_(walk.contexts_[id]) {}

  void send(const PostedMessage& m) {
    if (walk_.peer_exists(m.peer)) walk_.started(context_, m, post_send(m));
  }
  void receive(const PostedMessage& m) {
    if (walk_.peer_exists(m.peer)) walk_.started(context_, m, post_receive(m));
  }
  void exchange(const PostedMessage* from, const PostedMessage& to) {
    if (from != nullptr && walk_.peer_exists(from->peer)) {
      context_.pending.push_back(post_receive(*from));
    }
    if (walk_.peer_exists(to.peer)) context_.pending.push_back(post_send(to));
    wait_for_pending();
  }
  void complete(const Call& call) {
    for_each_completed_request(
        call, [this](std::uint32_t serial) { walk_.take_request(context_, serial); });
    wait_for_pending();
  }
  void unsuccessful_test(std::uint32_t /*request*/) {}
  void free_request(std::uint32_t serial) { walk_.forget_request(context_, serial); }
  void probe(const Call& call) { walk_.enter_probe(context_, call); }
  void collective(const Call& call) {
    if (call.request == kRequestNone) {
      walk_.enter_collective(context_, call);
    } else {
      walk_.enter_icollective(context_, call);
    }
  }
  void one_sided(const Call& call) { walk_.enter_one_sided(context_, call); }
  void io() { walk_.enter_io(context_); }
  void free_communicator() {}
  void initialize() {}
  void finalize() { context_.next_call = kNone; }  // the program ends here

 private:
  Pending post_send(const PostedMessage& m) {
    return walk_.send(context_, m.peer, m.tag, m.comm, m.bytes, m.mode);
  }
  Pending post_receive(const PostedMessage& m) {
    return walk_.receive(context_, m.peer, m.tag, m.comm);
  }
  void wait_for_pending() { context_.waiting = !context_.pending.empty(); }

  ProgramWalk& walk_;
  Context& context_;  // stays where it is while others are started
};

void ProgramWalk::enter_call(ContextId id, const Call& call) {
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

ProgramWalk::Pending ProgramWalk::send(Context& context, std::int32_t peer, std::int64_t tag,
                                       std::uint32_t comm, std::uint64_t bytes, Operation mode) {
  const bool free = context.collective != nullptr && context.collective->is_io;
  VertexId sent = extend(context, free ? 0 : 1);
  const bool synchronous = is_synchronous(mode);
  const bool buffered = is_buffered(mode);
  if (!free && !messages_.waits(bytes, synchronous, buffered)) {
    sent = leave(context, sent, peer, bytes);
  }
  const MessageChannel channel{
      .source = context.rank, .destination = peer, .tag = tag, .comm = comm};
  const MessageId id =
      messages_.post_send(channel, sent, current_call(context), bytes, synchronous, buffered);
  messages_[id].free = free;
  return {Pending::Kind::send, id};
}

/// Where an eager message that was handed over at `sent` begins to leave.
VertexId ProgramWalk::leave(Context& context, VertexId sent, std::int32_t peer,
                            std::uint64_t bytes) {
  if (!serial_links_ || bytes <= kShortMessage_bytes || peer == context.rank) return sent;
  const PathPoint posted{
      .tail = sent, .gap_ns = 0, .overheads = 0, .global_call = current_call(context)};
  return context.leaving.leave({posted, options_.link.bytes(bytes), {context.rank, peer}},
                               builder_);
}

ProgramWalk::Pending ProgramWalk::receive(Context& context, std::int32_t peer, std::int64_t tag,
                                          std::uint32_t comm) {
  const MessageChannel channel{
      .source = peer, .destination = context.rank, .tag = tag, .comm = comm};
  return {Pending::Kind::receive, messages_.post_receive(channel, here(context))};
}

/// A message has been posted: its call waits for it, or a later one for its request.
void ProgramWalk::started(Context& context, const PostedMessage& message, const Pending& pending) {
  if (!message.blocking) return request(context.rank, message.request, pending);
  context.pending.push_back(pending);
  context.waiting = true;
}

/// A successful probe waits for the message as a receive would, but leaves it.
void ProgramWalk::enter_probe(Context& context, const Call& call) {
  if (!peer_exists(call.peer)) return;
  context.probing = true;
  context.probed = {
      .source = call.peer, .destination = context.rank, .tag = call.tag, .comm = call.comm};
}

void ProgramWalk::enter_collective(Context& context, const Call& call) {
  if (!is_collective(call) || !communicator_exists(collective_comm(call))) return;
  load_collective(context, context, call);
}

/// A nonblocking collective progresses on its own, beside its rank's program.
void ProgramWalk::enter_icollective(Context& context, const Call& call) {
  if (!is_collective(call) || !communicator_exists(collective_comm(call))) return;
  request(context.rank, call.request, start_side_context(context, call));
}

/// Starts a collective that progresses beside `context`, its rank's program.
ProgramWalk::Pending ProgramWalk::start_side_context(Context& context, const Call& call) {
  const ContextId id = contexts_.acquire();
  Context& side = contexts_[id];
  side.main = false;
  side.rank = context.rank;
  side.tail = context.tail;
  side.gap_ns = context.gap_ns;
  side.overheads = context.overheads;
  side.call = context.call;
  if (is_object_collective(context)) {
    load_object_collective(side, context);
  } else {
    load_collective(side, context, call);
  }
  if (side.collective == nullptr) {
    side.finished = true;
  } else {
    ready_.push_back(id);
  }
  return {Pending::Kind::context, id};
}

/// Gives `context` the steps of the collective that `program` (its rank's) has reached.
void ProgramWalk::load_collective(Context& context, const Context& program, const Call& call) {
  RankState& state = ranks_[static_cast<std::size_t>(program.rank)];
  const auto [instance, sequence, rank] =
      state.collectives.enter(collectives_, program.rank, collective_comm(call));
  load_steps(context, instance, collective_tag(sequence), rank, call);
}

void ProgramWalk::load_steps(Context& context, const CollectiveIndex::Instance& instance,
                             std::int64_t tag, std::int32_t rank, const Call& call) {
  if (instance.members.size() < 2) return;
  if (rank < 0) return builder_.findings().add(kBadCommunicator, "a rank outside of its members");
  context.collective = &instance;
  context.collective_tag = tag;
  context.step = 0;
  context.steps.clear();
  instance.algorithm->expand(instance.call, rank, own_counts(instance, call.args), context.steps);
  // Whatever an algorithm leaves started ends with the call.
  context.steps.push_back({.kind = CollectiveStep::Kind::wait_all});
}

void ProgramWalk::request(std::int32_t rank, std::uint32_t serial, const Pending& pending) {
  if (serial != kRequestNone) ranks_[static_cast<std::size_t>(rank)].requests[serial] = pending;
}

void ProgramWalk::take_request(Context& context, std::uint32_t serial) {
  auto& requests = ranks_[static_cast<std::size_t>(context.rank)].requests;
  if (const std::optional<Pending> found = requests.take(serial)) {
    context.pending.push_back(*found);
  }
}

void ProgramWalk::forget_request(Context& context, std::uint32_t serial) {
  auto& requests = ranks_[static_cast<std::size_t>(context.rank)].requests;
  const std::optional<Pending> found = requests.take(serial);
  if (found && found->is_message()) messages_.drop(found->id);
}

}  // namespace slackline
