// What each MPI call does to its rank's strand: posts messages, starts requests, loads the steps of
// a collective, or begins to wait.

#include "calls/findings.h"
#include "graph/program_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace slackline {
namespace {

constexpr FindingKind kBadCommunicator{
    "bad_communicator", Severity::data_loss,
    "A call names a communicator that is not in the trace; it was left out."};

Operation mode_of(std::int64_t init) {
  switch (static_cast<Operation>(init)) {
    case Operation::bsend_init:
      return Operation::bsend;
    case Operation::ssend_init:
      return Operation::ssend;
    case Operation::recv_init:
      return Operation::recv;
    default:
      return Operation::send;
  }
}

}  // namespace

void ProgramWalk::enter_call(StrandId id, const Call& call) {
  Strand& strand = strands_[id];
  switch (operation_class(call.operation)) {
    case OperationClass::send:
      return start_send(strand, call, true);
    case OperationClass::recv:
      return start_receive(strand, call, true);
    case OperationClass::isend:
      return start_send(strand, call, false);
    case OperationClass::irecv:
      return start_receive(strand, call, false);
    case OperationClass::sendrecv:
      return enter_sendrecv(strand, call);
    case OperationClass::start:
      return enter_start(strand, call);
    case OperationClass::completion:
      return enter_completion(strand, call);
    case OperationClass::request_other:
      if (call.operation == Operation::request_free) forget_request(strand, call.request);
      return;
    case OperationClass::probe:
      return enter_probe(id, call);
    case OperationClass::collective:
    case OperationClass::icollective:
    case OperationClass::comm_create:
      return call.request == kRequestNone ? enter_collective(strand, call)
                                          : enter_icollective(strand, call);
    case OperationClass::one_sided:
      return builder_.findings().add(kOneSidedNotModelled);
    case OperationClass::io:
      return builder_.findings().add(kIoNotModelled);
    case OperationClass::environment:
      if (call.operation == Operation::finalize) strand.next_call = kNone;  // the program ends here
      return;
    case OperationClass::none:
    case OperationClass::request_init:
    case OperationClass::local:
      return;
  }
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
  const bool synchronous = mode == Operation::ssend || mode == Operation::issend;
  const bool buffered = mode == Operation::bsend || mode == Operation::ibsend;
  const ChannelKey key{.source = strand.rank, .destination = peer, .tag = tag, .comm = comm};
  return {Pending::Kind::send,
          transfers_.post_send(key, sent, current_call(strand), bytes, synchronous, buffered)};
}

ProgramWalk::Pending ProgramWalk::receive(Strand& strand, std::int32_t peer, std::int64_t tag,
                                          std::uint32_t comm) {
  const ChannelKey key{.source = peer, .destination = strand.rank, .tag = tag, .comm = comm};
  return {Pending::Kind::receive, transfers_.post_receive(key, here(strand))};
}

void ProgramWalk::start_send(Strand& strand, const Call& call, bool blocking) {
  if (call.has(SLK_FLAG_CANCELLED) || !peer_exists(call.peer)) return;
  const Pending started = send(strand, call.peer, call.tag, call.comm, call.bytes, call.operation);
  if (!blocking) return request(strand.rank, call.request, started);
  strand.pending.push_back(started);
  strand.waiting = true;
}

void ProgramWalk::start_receive(Strand& strand, const Call& call, bool blocking) {
  if (call.has(SLK_FLAG_CANCELLED) || !peer_exists(call.peer)) return;
  const Pending started = receive(strand, call.peer, call.tag, call.comm);
  if (!blocking) return request(strand.rank, call.request, started);
  strand.pending.push_back(started);
  strand.waiting = true;
}

/// args: source, receive tag, received bytes, receive flags.
void ProgramWalk::enter_sendrecv(Strand& strand, const Call& call) {
  if (call.args.size() >= 2 && peer_exists(static_cast<std::int32_t>(call.args[0]))) {
    strand.pending.push_back(
        receive(strand, static_cast<std::int32_t>(call.args[0]), call.args[1], call.comm));
  }
  if (peer_exists(call.peer)) {
    strand.pending.push_back(
        send(strand, call.peer, call.tag, call.comm, call.bytes, Operation::send));
  }
  strand.waiting = !strand.pending.empty();
}

void ProgramWalk::enter_start(Strand& strand, const Call& call) {
  for (std::size_t at = 0; at + kStartGroup <= call.args.size(); at += kStartGroup) {
    const auto group = call.args.subspan(at, kStartGroup);
    const auto serial = static_cast<std::uint32_t>(group[0]);
    const auto peer = static_cast<std::int32_t>(group[2]);
    const auto comm = static_cast<std::uint32_t>(group[5]);
    if (!peer_exists(peer)) continue;
    const Operation mode = mode_of(group[1]);
    request(strand.rank, serial,
            mode == Operation::recv
                ? receive(strand, peer, group[3], comm)
                : send(strand, peer, group[3], comm, static_cast<std::uint64_t>(group[4]), mode));
  }
}

void ProgramWalk::enter_completion(Strand& strand, const Call& call) {
  if (call.has(SLK_FLAG_FAILED)) return;
  if (call.request != kRequestNone) take_request(strand, call.request);
  for (const std::int64_t serial : call.args) take_request(strand, serial);
  strand.waiting = !strand.pending.empty();
}

/// A successful probe waits for the message as a receive would, but leaves it.
void ProgramWalk::enter_probe(StrandId id, const Call& call) {
  if (call.has(SLK_FLAG_FAILED) || !peer_exists(call.peer)) return;
  Strand& strand = strands_[id];
  strand.probing = true;
  strand.probe_key = ChannelKey{
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
  StrandId id = static_cast<StrandId>(strands_.size());
  if (free_strands_.empty()) {
    strands_.emplace_back();
  } else {
    id = free_strands_.back();
    free_strands_.pop_back();
    strands_[id] = Strand{};
  }
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
  const std::uint32_t comm = collective_comm(call);
  const std::uint32_t sequence = state.collective_count[comm]++;
  const CollectiveIndex::Instance& instance = collectives_.instance(comm, sequence);
  if (instance.members.size() < 2) return;
  const bool whole = instance.own_members.empty();
  std::int32_t rank = program.rank;
  if (!whole) {
    const auto found = std::ranges::find(instance.own_members, program.rank);
    rank = static_cast<std::int32_t>(found - instance.own_members.begin());
  } else if (comm != kCommWorld) {
    std::int32_t* known = state.rank_in_comm.find(comm);
    if (known == nullptr) {
      const auto found = std::ranges::find(instance.members, program.rank);
      known = &state.rank_in_comm[comm];
      *known = found == instance.members.end()
                   ? -1
                   : static_cast<std::int32_t>(found - instance.members.begin());
    }
    rank = *known;
  }
  if (rank < 0) return builder_.findings().add(kBadCommunicator, "a rank outside of its members");
  const bool own = (instance.call.operation == Operation::alltoallv ||
                    instance.call.operation == Operation::alltoallw)
                       ? whole && call.args.size() == 2 * instance.members.size()
                       : is_neighbourhood(instance.call.operation);
  strand.collective = &instance;
  strand.collective_tag = collective_tag(sequence);
  strand.step = 0;
  strand.steps.clear();
  instance.algorithm->expand(instance.call, rank,
                             OwnCounts{own ? call.args : decltype(call.args){}}, strand.steps);
  // Whatever an algorithm leaves started ends with the call.
  strand.steps.push_back({.kind = CollectiveStep::Kind::wait_all});
}

void ProgramWalk::request(std::int32_t rank, std::uint32_t serial, const Pending& pending) {
  if (serial != kRequestNone) ranks_[static_cast<std::size_t>(rank)].requests[serial] = pending;
}

void ProgramWalk::take_request(Strand& strand, std::int64_t serial) {
  auto& requests = ranks_[static_cast<std::size_t>(strand.rank)].requests;
  const auto key = static_cast<std::uint32_t>(serial);
  if (const std::optional<Pending> found = requests.take(key)) strand.pending.push_back(*found);
}

void ProgramWalk::forget_request(Strand& strand, std::uint32_t serial) {
  auto& requests = ranks_[static_cast<std::size_t>(strand.rank)].requests;
  const std::optional<Pending> found = requests.take(serial);
  if (found && found->kind != Pending::Kind::strand) transfers_.drop(found->id);
}

}  // namespace slackline
