// A rank's program: which call or computation comes next, and what a call starts.

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "sim/engine.h"

namespace slackline::sim {
namespace {

constexpr FindingKind kUnresolvedWildcard{
    "unresolved_wildcard", Severity::notice,
    "A receive with a wildcard never got a message in the trace; it was left out."};
constexpr FindingKind kOneSided{"one_sided_not_simulated", Severity::notice,
                                "One-sided communication is kept in the trace, but the simulation "
                                "counts it as taking no time."};
constexpr FindingKind kIo{
    "io_not_simulated", Severity::notice,
    "MPI-IO is kept in the trace, but the simulation counts it as taking no time."};
constexpr FindingKind kNothingSent{
    "alltoall_sends_nothing", Severity::notice,
    "SimGrid's algorithm for an alltoall does nothing on this number of ranks; nor does it here, "
    "and the call takes no time. Choose another one for the times of a real exchange."};
constexpr FindingKind kBadPeer{"bad_peer", Severity::data_loss,
                               "A call names a rank that does not exist; it was left out."};

constexpr double kSecondsPerNano = 1e-9;

}  // namespace

void Engine::advance(StrandId id) {
  for (;;) {
    Strand& strand = strands_[id];
    if (strand.state != State::running) return;
    if (strand.turns > 0) {
      --strand.turns;
      ready_.push_back(id);
      return;
    }
    if (strand.posting != Posting::none) {
      step_posting(id);
      continue;
    }
    if (strand.queued < strand.queue.size()) {
      const Message message = strand.queue[strand.queued++];
      start_message(id, message);
      continue;
    }
    if (!strand.queue.empty()) {
      strand.queue.clear();
      strand.queued = 0;
      if (!strand.outstanding.empty()) wait_outstanding(id);
      continue;
    }
    if (strand.collective != nullptr) {
      collective_step(id);
      continue;
    }
    if (!strand.main) return finish(id);
    next_item(id);
  }
}

/// What was open has ended now.
void Engine::end_open_items(Strand& strand) {
  if (strand.call_open) {
    const RankCalls& calls = trace_.calls(strand.rank);
    OperationTimes& t = result_.operations[static_cast<std::size_t>(calls.operation(strand.call))];
    ++t.calls;
    t.seconds += now_ - strand.began;
  }
  if (strand.computing_since >= 0) {
    times(strand.rank).compute += now_ - strand.computing_since;
    strand.computing_since = -1;
  }
  if (!options_.record) return;
  const auto rank = static_cast<std::size_t>(strand.rank);
  if (strand.call_open) result_.calls[rank][strand.call] = {strand.began, now_};
  if (strand.region_open) result_.region_ends[rank].push_back(now_);
}

void Engine::next_item(StrandId id) {
  Strand& strand = strands_[id];
  end_open_items(strand);
  strand.call_open = strand.region_open = false;
  const RankCalls& calls = trace_.calls(strand.rank);
  if (in_flops_ && strand.next_region + 1 < calls.regions().size() &&
      calls.regions()[strand.next_region].before_call <= strand.next_call) {
    return next_region(strand, id);
  }
  if (strand.program_over || strand.next_call >= calls.size()) return end_program(id);
  if (!in_flops_ && !strand.gap_over) {
    strand.gap_over = true;
    const auto gap = static_cast<double>(calls.gap_ns(strand.next_call));
    const double seconds = gap * kSecondsPerNano * options_.compute_scale;
    const double own_speed = platform_.host(host(strand.rank)).speed();
    const double speed = options_.reference_speed > 0 ? options_.reference_speed : own_speed;
    if (seconds > 0) return compute(id, seconds * speed);
  }
  strand.gap_over = false;
  begin_call(id);
}

/// An action of a trace in flops that is no call, as a pair of region events.
void Engine::next_region(Strand& strand, StrandId id) {
  const auto regions = trace_.calls(strand.rank).regions();
  const RegionEvent& enter = regions[strand.next_region];
  const RegionEvent& leave = regions[strand.next_region + 1];
  strand.next_region += 2;
  strand.region_open = true;
  const double seconds = static_cast<double>(leave.time_ns - enter.time_ns) * kSecondsPerNano;
  if (seconds <= 0) return;
  if (trace_.regions()[enter.region] == "sleep") {
    strand.computing_since = now_;
    return sleep(id, seconds, State::computing);
  }
  const double flops_a_nano = trace_.info().flops_per_second * kSecondsPerNano;
  compute(id, static_cast<double>(leave.time_ns - enter.time_ns) * flops_a_nano *
                  options_.compute_scale);
}

/// What is still outstanding at the end of a program is waited for, as replay does.
void Engine::end_program(StrandId id) {
  Strand& strand = strands_[id];
  auto& requests = state(strand.rank).requests;
  if (!in_flops_ || requests.size() == 0) return finish(id);
  std::vector<Request> all;
  requests.for_each([&](std::uint32_t, const Request& r) { all.push_back(r); });
  requests = {};
  wait_for(id, all);
}

bool Engine::peer_exists(std::int32_t peer) {
  if (peer >= 0 && peer < trace_.ranks()) return true;
  if (peer == kPeerAny) {
    result_.findings.add(kUnresolvedWildcard);
  } else if (peer != kPeerNull && peer != kPeerNone) {
    if (!trace_.timed()) {
      throw Error(fmt::format("a call names rank {}", peer),
                  fmt::format("the ranks are 0 to {}", trace_.ranks() - 1), "Correct the program.");
    }
    result_.findings.add(kBadPeer, fmt::format("rank {}", peer));
  }
  return false;
}

void Engine::begin_call(StrandId id) {
  Strand& strand = strands_[id];
  strand.call = strand.next_call++;
  strand.call_open = true;
  strand.began = now_;
  const Call call = trace_.calls(strand.rank).action(strand.call);
  const OperationClass op_class = operation_class(call.operation);
  switch (op_class) {
    case OperationClass::send:
    case OperationClass::isend:
      return begin_message(id, call, true, op_class == OperationClass::send);
    case OperationClass::recv:
    case OperationClass::irecv:
      return begin_message(id, call, false, op_class == OperationClass::recv);
    case OperationClass::sendrecv:
      return enter_sendrecv(strand, call);
    case OperationClass::start:
      return enter_start(strand, call);
    case OperationClass::completion:
      return enter_completion(id, call);
    case OperationClass::request_other:
      if (call.operation == Operation::request_free) {
        state(strand.rank).requests.erase(call.request);
      }
      return;
    case OperationClass::probe:
      return enter_probe(id, call);
    case OperationClass::collective:
    case OperationClass::icollective:
    case OperationClass::comm_create:
      return enter_collective(id, call);
    case OperationClass::one_sided:
      return result_.findings.add(kOneSided);
    case OperationClass::io:
      return result_.findings.add(kIo);
    case OperationClass::environment:
      if (call.operation == Operation::finalize) strand.program_over = true;
      return;
    case OperationClass::none:
    case OperationClass::request_init:
    case OperationClass::local:
      return;
  }
}

/// A call that is one message. One that nothing refers to later ends with its call.
void Engine::begin_message(StrandId id, const Call& call, bool send, bool blocking) {
  if (call.has(SLK_FLAG_CANCELLED) || !peer_exists(call.peer)) return;
  const Message message{.peer = call.peer,
                        .tag = call.tag,
                        .comm = call.comm,
                        .bytes = call.bytes,
                        .mode = call.operation,
                        .serial = blocking ? kRequestNone : call.request,
                        .send = send,
                        .blocking = blocking};
  if (blocking || message.serial != kRequestNone) return start_message(id, message);
  strands_[id].queue.push_back(message);
}

/// args: source, receive tag, received bytes, receive flags. Nothing moves between a rank and
/// itself.
void Engine::enter_sendrecv(Strand& strand, const Call& call) {
  const auto source = call.args.size() >= 2 ? static_cast<std::int32_t>(call.args[0]) : kPeerNone;
  if (call.peer == strand.rank && source == strand.rank) return;
  if (peer_exists(call.peer)) {
    strand.queue.push_back({.peer = call.peer,
                            .tag = call.tag,
                            .comm = call.comm,
                            .bytes = call.bytes,
                            .send = true,
                            .blocking = false});
  }
  if (source != kPeerNone && peer_exists(source)) {
    strand.queue.push_back(
        {.peer = source, .tag = call.args[1], .comm = call.comm, .send = false, .blocking = false});
  }
}

void Engine::enter_start(Strand& strand, const Call& call) {
  for (std::size_t at = 0; at + kStartGroup <= call.args.size(); at += kStartGroup) {
    const auto group = call.args.subspan(at, kStartGroup);
    const auto mode = static_cast<Operation>(group[1]);
    const auto peer = static_cast<std::int32_t>(group[2]);
    if (!peer_exists(peer)) continue;
    strand.queue.push_back({.peer = peer,
                            .tag = group[3],
                            .comm = static_cast<std::uint32_t>(group[5]),
                            .bytes = static_cast<std::uint64_t>(group[4]),
                            .mode = mode,
                            .serial = static_cast<std::uint32_t>(group[0]),
                            .send = mode != Operation::recv_init,
                            .blocking = false});
  }
}

void Engine::enter_completion(StrandId id, const Call& call) {
  Strand& strand = strands_[id];
  auto& requests = state(strand.rank).requests;
  if (call.has(SLK_FLAG_FAILED)) {
    const Request* tested = in_flops_ ? requests.find(call.request) : nullptr;
    if (tested == nullptr) return;
    strand.tested = *tested;
    strand.tested_serial = call.request;
    const double seconds = failed_tests_ * model_.test_sleep;
    times(strand.rank).overhead += seconds;
    if (seconds > 0) return sleep(id, seconds, State::testing);
    return test(id);
  }
  std::vector<Request> all;
  const auto take = [&](std::uint32_t serial) {
    const Request* found = requests.find(serial);
    if (found == nullptr) return;
    all.push_back(*found);
    requests.erase(serial);
  };
  if (call.request != kRequestNone) take(call.request);
  for (const std::int64_t serial : call.args) take(static_cast<std::uint32_t>(serial));
  wait_for(id, all);
}

void Engine::enter_probe(StrandId id, const Call& call) {
  if (call.has(SLK_FLAG_FAILED) || !peer_exists(call.peer)) return;
  Strand& strand = strands_[id];
  strand.probed = {
      .source = call.peer, .destination = strand.rank, .tag = call.tag, .comm = call.comm};
  ++polling_;
  strand.since = now_;
  spend_on_look(id, State::probing);
}

/// A nonblocking collective progresses on its own, beside its rank's program.
void Engine::enter_collective(StrandId id, const Call& call) {
  if (!is_collective(call) || call.comm >= trace_.communicators().size()) return;
  Strand& program = strands_[id];
  if (call.request == kRequestNone) return load_collective(program, call);
  const StrandId side = strands_.take();
  strands_[side].main = false;
  strands_[side].rank = strands_[id].rank;
  strands_[side].tie = strands_[id].tie;
  load_collective(strands_[side], call);
  state(strands_[id].rank).requests[call.request] = {Request::Kind::strand, side};
  resume(side);
}

void Engine::load_collective(Strand& strand, const Call& call) {
  const std::uint32_t sequence = state(strand.rank).collective_count[call.comm]++;
  const CollectiveIndex::Instance& instance = collectives_.instance(call.comm, sequence);
  const std::int32_t own_rank = rank_in(strand, instance);
  if (instance.members.size() < 2 || own_rank < 0) return;
  strand.collective = &instance;
  strand.collective_rank = own_rank;
  strand.collective_sequence = sequence;
  strand.collective_args = call.args;
  strand.collective_tag = collective_tag(call.operation, sequence);
  strand.step = 0;
  expand_collective(strand);
}

/// The strand's steps, as far as they are known.
void Engine::expand_collective(Strand& strand) {
  const CollectiveIndex::Instance& instance = *strand.collective;
  const std::uint32_t sequence = strand.collective_sequence;
  const std::size_t size = instance.members.size();
  const Operation operation = instance.call.operation;
  const bool each = operation == Operation::alltoallv || operation == Operation::alltoallw;
  const bool own = each ? instance.own_members.empty() && strand.collective_args.size() == 2 * size
                        : is_neighbourhood(operation);
  const auto args = own ? strand.collective_args : std::span<const std::int64_t>{};
  CollectiveCall performed = instance.call;
  performed.single_waits = true;
  performed.self_messages = true;
  performed.choose = &options_.choose;
  performed.nodes = nodes_.of(instance);
  NodeKnowledge knowledge = nodes_.known(instance.comm, sequence);
  performed.knowledge = &knowledge;
  ArrivalRecord first;
  const auto known = arrivals_.find({instance.comm, sequence});
  Arrivals arrivals(known == arrivals_.end() ? first : known->second.record);
  performed.arrivals = &arrivals;
  const SmpiDecision decision = options_.choose(performed);
  apply(decision, performed);
  strand.steps.clear();
  decision.algorithm->expand(performed, strand.collective_rank, OwnCounts{args}, strand.steps);
  nodes_.add(instance.comm, sequence, knowledge);
  keep_arrivals(instance, sequence, arrivals, std::move(first));
  if (arrivals.incomplete()) return strand.steps.push_back({.kind = CollectiveStep::Kind::more});
  if (strand.steps.empty() && operation == Operation::alltoall && performed.bytes > 0) {
    result_.findings.add(kNothingSent, decision.algorithm->smpi_name);
  }
  // Whatever an algorithm leaves started ends with the call.
  strand.steps.push_back({.kind = CollectiveStep::Kind::wait_all});
}

/// The record of a collective by order of arrival is there from its first rank's expansion until
/// the last one's is complete.
void Engine::keep_arrivals(const CollectiveIndex::Instance& instance, std::uint32_t sequence,
                           const Arrivals& arrivals, ArrivalRecord&& first) {
  const std::pair key{instance.comm, sequence};
  auto kept = arrivals_.find(key);
  if (kept == arrivals_.end()) {
    if (first.rounds.empty()) return;
    kept = arrivals_.emplace(key, FoundArrivals{.record = std::move(first)}).first;
  }
  if (!arrivals.incomplete() && ++kept->second.complete == instance.members.size()) {
    arrivals_.erase(kept);
  }
}

/// The strand's rank among those that take part; -1 when it is none of them.
std::int32_t Engine::rank_in(const Strand& strand, const CollectiveIndex::Instance& instance) {
  const bool whole = instance.own_members.empty();
  if (whole && instance.comm == kCommWorld) return strand.rank;
  const auto search = [&] {
    const auto found = std::ranges::find(instance.members, strand.rank);
    return found == instance.members.end()
               ? -1
               : static_cast<std::int32_t>(found - instance.members.begin());
  };
  if (!whole) return search();
  auto& known = state(strand.rank).rank_in_comm;
  if (const std::int32_t* rank = known.find(instance.comm)) return *rank;
  return known[instance.comm] = search();
}

}  // namespace slackline::sim
