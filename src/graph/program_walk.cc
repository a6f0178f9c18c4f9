// From a trace to its execution graph, in one sweep.
//
// The problem: match every receive with its send, expand collectives, and number all vertices so
// that every edge leads forward.
//
// The idea: execute the program without time. Each rank is a cursor over its calls (a strand); it
// runs until it must wait for something that no other rank has done yet, then another one runs. A
// vertex is written when its strand gets to it, so vertices come out in topological order by
// construction, mostly many of one rank in a row, which keeps a later pass over them in cache.
// Matching is a by-product: MPI matches in the order of posting, and each rank posts in program
// order. A nonblocking collective is a strand of its own beside its rank.
//
// A vertex is written only where a maximum has to be taken or others may refer to: hand-over of a
// send, completion of receives, rendezvous. Everything else just adds to the computation since the
// strand's newest vertex (`gap_ns`).
//
// A receive posted at time p completes no earlier than p + o. Where the strand's own path
// has paid an o since p that bound can never decide, for any parameters, and is left out.
//
// If all strands wait, the trace is damaged or the program deadlocks under the chosen threshold.
// Then the least doubtful assumption is given up, one at a time, and counted in the findings: (1)
// waiting for a rank whose program is over; (2) senders over the threshold, which MPI may well have
// buffered; (3) the receive that was posted first.
//
// Cost: O(calls + messages); memory for outstanding messages and requests only.

#include "graph/program_walk.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace slackline {
namespace {

constexpr FindingKind kUnmatchedReceive{
    "unmatched_receive", Severity::data_loss,
    "A receive has no matching send; it was modelled as if it had waited for nothing."};
constexpr FindingKind kUnmatchedSend{
    "unmatched_send", Severity::data_loss,
    "A send has no matching receive; it was modelled without one."};
constexpr FindingKind kRendezvousDeadlock{
    "rendezvous_deadlock", Severity::notice,
    "Senders over the eager threshold wait for each other; they were modelled as eager. The real "
    "run "
    "must have buffered them: the threshold S is too small, or the program relies on buffering."};
constexpr FindingKind kUnknownRequest{
    "unknown_request", Severity::notice,
    "A completion call names a request whose start is not in the trace; it was ignored."};
constexpr FindingKind kUnresolvedWildcard{
    "unresolved_wildcard", Severity::notice,
    "A receive with a wildcard never got a message in the trace; it was left out."};
constexpr FindingKind kOneSided{
    "one_sided_not_modelled", Severity::notice,
    "One-sided communication is kept in the trace, but the model counts it as taking no time."};
constexpr FindingKind kIo{
    "io_not_modelled", Severity::notice,
    "MPI-IO is kept in the trace, but the model counts it as taking no time."};
constexpr FindingKind kBadPeer{"bad_peer", Severity::data_loss,
                               "A call names a rank that does not exist; it was left out."};
constexpr FindingKind kBadCommunicator{
    "bad_communicator", Severity::data_loss,
    "A call names a communicator that is not in the trace; it was left out."};

constexpr std::size_t kStartGroup = 6;  // request, operation, peer, tag, bytes, communicator

// Tags of collectives' messages lie below all that MPI allows.
constexpr std::int64_t kCollectiveTagBase = -1'000'000'000'000;

/// When the ranks' common clock starts: the first rank leaves MPI_Init.
struct Origin {
  std::size_t first_call = 0;
  std::int64_t ns = 0;
};

Origin origin_of(const RankCalls& calls) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Operation op = calls.operation(i);
    if (op == Operation::init || op == Operation::init_thread) return {i + 1, calls.end_ns(i)};
  }
  return {0, calls.start_ns()};
}

bool is_neighbourhood(Operation operation) {
  return operation >= Operation::neighbor_allgather && operation <= Operation::neighbor_alltoallw;
}

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

ProgramWalk::ProgramWalk(const Trace& trace, const GraphOptions& options, GraphBuilder& builder)
    : trace_(trace),
      builder_(builder),
      transfers_(builder, options),
      collectives_(trace, options.collectives, builder.findings()),
      ranks_(static_cast<std::size_t>(trace.ranks())) {}

void ProgramWalk::run() {
  std::int64_t zero = std::numeric_limits<std::int64_t>::max();
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
    if (!trace_.calls(r).empty()) zero = std::min(zero, origin_of(trace_.calls(r)).ns);
  }
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) start_rank(r, zero);
  for (std::int32_t r = trace_.ranks(); r-- > 0;) ready_.push_back(static_cast<StrandId>(r));
  do {
    while (!ready_.empty()) {
      const StrandId id = ready_.back();
      ready_.pop_back();
      advance(id);
    }
  } while (release_something());
  end_ranks();
}

void ProgramWalk::start_rank(std::int32_t rank, std::int64_t origin_ns) {
  Strand strand;
  strand.rank = rank;
  strand.tail = builder_.vertex(builder_.global_call(rank, 0));
  if (!trace_.calls(rank).empty()) {
    const Origin origin = origin_of(trace_.calls(rank));
    strand.next_call = static_cast<std::uint32_t>(origin.first_call);
    strand.gap_ns = origin.ns - origin_ns;
  }
  strands_.push_back(std::move(strand));
}

// --- Strands and their paths
// ----------------------------------------------------------------------

void ProgramWalk::advance(StrandId id) {
  while (!strands_[id].finished) {
    const bool moved =
        strands_[id].collective != nullptr ? advance_collective(id) : advance_main(id);
    auto& woken = transfers_.woken();
    ready_.insert(ready_.end(), woken.begin(), woken.end());
    woken.clear();
    if (!moved) return;
  }
}

/// Takes the next call of a rank's program; false when it has to wait.
bool ProgramWalk::advance_main(StrandId id) {
  Strand& strand = strands_[id];
  if (strand.probing && !complete_probe(id)) return false;
  if (strand.waiting && !complete(id)) return false;
  const RankCalls& calls = trace_.calls(strand.rank);
  if (strand.next_call >= calls.size()) {
    strand.finished = true;
    return true;
  }
  strand.call = strand.next_call++;
  strand.gap_ns += calls.gap_ns(strand.call);
  enter_call(id, calls[strand.call]);
  return true;
}

/// Takes the next step of a collective; false when it has to wait.
bool ProgramWalk::advance_collective(StrandId id) {
  Strand& strand = strands_[id];
  if (strand.waiting && !complete(id)) return false;
  if (strand.step == strand.steps.size()) {
    strand.collective = nullptr;
    strand.steps.clear();
    if (!strand.main) {
      strand.finished = true;
      if (strand.waiter != kNone) ready_.push_back(strand.waiter);
    }
    return true;
  }
  const CollectiveStep step = strand.steps[strand.step++];
  using Kind = CollectiveStep::Kind;
  if (step.kind == Kind::wait_all) {
    strand.pending.swap(strand.outstanding);
    strand.waiting = true;
    return true;
  }
  const CollectiveIndex::Instance& instance = *strand.collective;
  // Neighbourhood collectives name their peers themselves.
  const std::int32_t peer = is_neighbourhood(instance.call.operation)
                                ? step.peer
                                : instance.members[static_cast<std::size_t>(step.peer)];
  const bool sends = step.kind == Kind::send || step.kind == Kind::isend;
  const Pending started =
      sends ? send(strand, peer, strand.collective_tag, instance.comm, step.bytes, Operation::send)
            : receive(strand, peer, strand.collective_tag, instance.comm);
  const bool blocks = step.kind == Kind::send || step.kind == Kind::recv;
  (blocks ? strand.pending : strand.outstanding).push_back(started);
  strand.waiting = blocks;
  return true;
}

std::uint32_t ProgramWalk::current_call(const Strand& strand) const {
  return builder_.global_call(strand.rank, strand.call);
}

PathPoint ProgramWalk::here(const Strand& strand) const {
  return PathPoint{strand.tail, strand.gap_ns, strand.overheads, current_call(strand)};
}

/// A new vertex at the end of the strand's path, with its path edge.
VertexId ProgramWalk::extend(Strand& strand, std::uint8_t overheads) {
  const VertexId v = builder_.vertex(current_call(strand));
  builder_.edge(Edge{.from = strand.tail,
                     .kind = strand.main ? EdgeKind::compute : EdgeKind::order,
                     .latencies = 0,
                     .overheads = overheads,
                     .nanoseconds = strand.gap_ns,
                     .bytes = 0});
  strand.tail = v;
  strand.gap_ns = 0;
  strand.overheads += overheads;
  return v;
}

// --- Calls
// ----------------------------------------------------------------------------------------

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
      return builder_.findings().add(kOneSided);
    case OperationClass::io:
      return builder_.findings().add(kIo);
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
  if (!is_collective(call) || !communicator_exists(call.comm)) return;
  load_collective(strand, strand, call);
}

/// A nonblocking collective progresses on its own, beside its rank's program.
void ProgramWalk::enter_icollective(Strand& strand, const Call& call) {
  if (!is_collective(call) || !communicator_exists(call.comm)) return;
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
  request(strand.rank, call.request, {Pending::Kind::strand, id});
  if (side.collective == nullptr) {
    side.finished = true;
  } else {
    ready_.push_back(id);
  }
}

/// Gives `strand` the steps of the collective that `program` (its rank's) has reached.
void ProgramWalk::load_collective(Strand& strand, const Strand& program, const Call& call) {
  RankState& state = ranks_[static_cast<std::size_t>(program.rank)];
  const std::uint32_t sequence = state.collective_count[call.comm]++;
  const CollectiveIndex::Instance& instance = collectives_.instance(call.comm, sequence);
  if (instance.members.size() < 2) return;
  const bool whole = instance.own_members.empty();
  std::int32_t rank = program.rank;
  if (!whole) {
    const auto found = std::ranges::find(instance.own_members, program.rank);
    rank = static_cast<std::int32_t>(found - instance.own_members.begin());
  } else if (call.comm != kCommWorld) {
    std::int32_t* known = state.rank_in_comm.find(call.comm);
    if (known == nullptr) {
      const auto found = std::ranges::find(instance.members, program.rank);
      known = &state.rank_in_comm[call.comm];
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
  strand.collective_tag = kCollectiveTagBase - sequence;
  strand.step = 0;
  strand.steps.clear();
  instance.algorithm->expand(instance.call, rank,
                             OwnCounts{own ? call.args : decltype(call.args){}}, strand.steps);
  // Whatever an algorithm leaves started ends with the call.
  strand.steps.push_back({CollectiveStep::Kind::wait_all, -1, 0});
}

void ProgramWalk::request(std::int32_t rank, std::uint32_t serial, const Pending& pending) {
  if (serial != kRequestNone) ranks_[static_cast<std::size_t>(rank)].requests[serial] = pending;
}

void ProgramWalk::take_request(Strand& strand, std::int64_t serial) {
  auto& requests = ranks_[static_cast<std::size_t>(strand.rank)].requests;
  const auto key = static_cast<std::uint32_t>(serial);
  if (const Pending* found = requests.find(key); found != nullptr) {
    strand.pending.push_back(*found);
    requests.erase(key);
  }
}

void ProgramWalk::forget_request(Strand& strand, std::uint32_t serial) {
  auto& requests = ranks_[static_cast<std::size_t>(strand.rank)].requests;
  if (const Pending* found = requests.find(serial); found != nullptr) {
    if (found->kind != Pending::Kind::strand) transfers_.drop(found->id);
    requests.erase(serial);
  }
}

// --- Waiting
// --------------------------------------------------------------------------------------

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
    free_strands_.push_back(pending.id);
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
  const TransferId found = transfers_.peek_send(strand.probe_key);
  if (found == kNone) {
    transfers_.wait_for_arrival(strand.probe_key, id);
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

// --- When nothing can move
// ------------------------------------------------------------------------

bool ProgramWalk::release_something() {
  const bool released = release_hopeless() || release_cycles();
  auto& woken = transfers_.woken();
  ready_.insert(ready_.end(), woken.begin(), woken.end());
  woken.clear();
  return released;
}

StrandId ProgramWalk::waits_for(StrandId id) const {
  const Strand& strand = strands_[id];
  if (strand.finished) return kNone;
  if (strand.probing) return static_cast<StrandId>(strand.probe_key.source);
  const Pending* open = blocking(strand);
  if (open == nullptr) return kNone;
  if (open->kind == Pending::Kind::strand) return open->id;
  const ChannelKey& key = transfers_[open->id].key;
  return static_cast<StrandId>(open->kind == Pending::Kind::send ? key.destination : key.source);
}

bool ProgramWalk::blocks_on_send(StrandId id) const {
  const Pending* open = strands_[id].probing ? nullptr : blocking(strands_[id]);
  return open != nullptr && open->kind == Pending::Kind::send;
}

void ProgramWalk::release_receive(StrandId id) {
  Strand& strand = strands_[id];
  const Pending* open = blocking(strand);
  const ChannelKey& key = strand.probing ? strand.probe_key : transfers_[open->id].key;
  builder_.findings().add(
      kUnmatchedReceive,
      fmt::format("rank {}, call {} ({}): from rank {}, tag {}", strand.rank, strand.call,
                  identifier(trace_.calls(strand.rank).operation(strand.call)), key.source,
                  key.tag));
  if (strand.probing) {
    strand.probing = false;
    ready_.push_back(id);
  } else {
    transfers_.release_receive(open->id);
  }
}

/// Gives up on everything that waits for a rank whose program has ended.
bool ProgramWalk::release_hopeless() {
  bool released = false;
  for (StrandId id = 0; id < strands_.size(); ++id) {
    const StrandId other = waits_for(id);
    if (other == kNone || !strands_[other].finished) continue;
    if (blocks_on_send(id)) {
      transfers_.release_send(blocking(strands_[id])->id);
    } else {
      release_receive(id);
    }
    released = true;
  }
  return released;
}

/// Every strand that still waits, waits for one other: following them ends in a cycle.
bool ProgramWalk::release_cycles() {
  std::vector<StrandId> seen_from(strands_.size(), kNone);
  bool released = false;
  for (StrandId start = 0; start < strands_.size(); ++start) {
    StrandId at = start;
    while (at != kNone && seen_from[at] == kNone && waits_for(at) != kNone) {
      seen_from[at] = start;
      at = waits_for(at);
    }
    if (at == kNone || seen_from[at] != start || waits_for(at) == kNone) continue;
    std::vector<StrandId> cycle{at};
    for (StrandId next = waits_for(at); next != at; next = waits_for(next)) cycle.push_back(next);
    break_cycle(cycle);
    released = true;
  }
  return released;
}

void ProgramWalk::break_cycle(const std::vector<StrandId>& cycle) {
  bool sends = false;
  for (const StrandId id : cycle) {
    if (!blocks_on_send(id)) continue;
    sends = true;
    const Strand& strand = strands_[id];
    builder_.findings().add(
        kRendezvousDeadlock,
        fmt::format("rank {}, call {} ({})", strand.rank, strand.call,
                    identifier(trace_.calls(strand.rank).operation(strand.call))));
    transfers_.release_send(blocking(strand)->id);
  }
  if (sends) return;
  const auto begin = [&](StrandId id) {
    const Strand& strand = strands_[id];
    // A strand that waits for a side strand holds no receive of its own.
    const bool holds = strand.probing || blocking(strand)->kind != Pending::Kind::strand;
    return holds ? trace_.calls(strand.rank).begin_ns(strand.call)
                 : std::numeric_limits<std::int64_t>::max();
  };
  release_receive(std::ranges::min(cycle, {}, begin));
}

void ProgramWalk::end_ranks() {
  for (std::int32_t rank = 0; rank < trace_.ranks(); ++rank) {
    const Strand& strand = strands_[static_cast<std::size_t>(rank)];
    builder_.end_rank(rank, strand.tail, strand.gap_ns);
  }
  transfers_.for_each_unreceived([&](const Transfer& t) {
    builder_.findings().add(kUnmatchedSend,
                            fmt::format("rank {} to rank {}, tag {}, {} bytes", t.key.source,
                                        t.key.destination, t.key.tag, t.bytes));
  });
}

}  // namespace slackline
