// A rank's program: which call or computation comes next, and what a call starts.

#include "sim/engine/rank_program.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"
#include "calls/findings.h"
#include "calls/run_span.h"

namespace slackline::sim {
namespace {

using State = ExecutionContext::State;

constexpr double kSecondsPerNano = 1e-9;

}  // namespace

RankProgram::RankProgram(const Trace& trace, const Platform& platform,
                         const SimulationOptions& options, Parts parts, Findings& findings)
    : trace_(trace),
      platform_(platform),
      options_(options),
      in_flops_(trace.info().flops_per_second > 0),
      parts_(parts),
      findings_(findings) {}

void RankProgram::create(std::int32_t rank, std::int64_t origin_ns) {
  ExecutionContext& context = parts_.contexts.create(rank, true);
  if (parts_.order != nullptr) parts_.order->created(context.id, kNone);
  const RankCalls& calls = trace_.calls(rank);
  if (calls.empty()) return parts_.contexts.resume(context);
  const RankSpan start = rank_span(calls);
  context.program.next_call = static_cast<std::uint32_t>(start.first_call);
  const double late = static_cast<double>(start.analysed.begin_ns - origin_ns) * kSecondsPerNano;
  if (in_flops_ || late <= 0) return parts_.contexts.resume(context);
  parts_.accounting.add_compute(context, late);
  parts_.contexts.sleep(context, late, State::computing);
}

bool RankProgram::next(ExecutionContext& context) {
  parts_.accounting.end_item(context, parts_.contexts.now());
  ProgramPosition& program = context.program;
  if (in_flops_ && region_is_next(context)) {
    begin_region(context);
    return true;
  }
  if (program.over || program.next_call >= trace_.calls(context.rank).size()) {
    return wait_for_rest(context);
  }
  if (!in_flops_ && !program.gap_over) {
    program.gap_over = true;
    if (begin_gap(context)) return true;
  }
  program.gap_over = false;
  begin_call(context);
  return true;
}

bool RankProgram::region_is_next(const ExecutionContext& context) const {
  const ProgramPosition& program = context.program;
  const auto regions = trace_.calls(context.rank).regions();
  return program.next_region + 1 < regions.size() &&
         regions[program.next_region].before_call <= program.next_call;
}

/// Begins an action of a trace in flops that is no call, which is a pair of region events.
void RankProgram::begin_region(ExecutionContext& context) {
  ProgramPosition& program = context.program;
  const auto regions = trace_.calls(context.rank).regions();
  const RegionEvent& enter = regions[program.next_region];
  const RegionEvent& leave = regions[program.next_region + 1];
  program.next_region += 2;
  program.region_open = true;
  const double seconds = static_cast<double>(leave.time_ns - enter.time_ns) * kSecondsPerNano;
  if (seconds <= 0) return;
  if (trace_.regions()[enter.region] == "sleep") {
    program.computing_since = parts_.contexts.now();
    return parts_.contexts.sleep(context, seconds, State::computing);
  }
  const double flops_per_nano = trace_.info().flops_per_second * kSecondsPerNano;
  compute(context, static_cast<double>(leave.time_ns - enter.time_ns) * flops_per_nano *
                       options_.compute_scale);
}

/// The measured computation before the next call; false when there is none.
bool RankProgram::begin_gap(ExecutionContext& context) {
  const auto gap =
      static_cast<double>(trace_.calls(context.rank).gap_ns(context.program.next_call));
  const double seconds = gap * kSecondsPerNano * options_.compute_scale;
  const double own_speed = platform_.host(parts_.contexts.host(context)).speed();
  const double speed = options_.reference_speed > 0 ? options_.reference_speed : own_speed;
  if (seconds <= 0) return false;
  compute(context, seconds * speed);
  return true;
}

void RankProgram::compute(ExecutionContext& context, double flops) {
  context.program.computing_since = parts_.contexts.now();
  parts_.contexts.compute(context, flops, State::computing);
}

/// What is still outstanding at the end of a program is waited for, as SimGrid's replay does. False
/// when there is nothing.
bool RankProgram::wait_for_rest(ExecutionContext& context) {
  if (!in_flops_) return false;
  const std::vector<Request> rest = parts_.requests.take_all(context.rank);
  if (rest.empty()) return false;
  parts_.requests.wait_for(context, rest);
  return true;
}

bool RankProgram::peer_exists(std::int32_t peer) {
  if (peer >= 0 && peer < trace_.ranks()) return true;
  if (peer == kPeerAny) {
    findings_.add(kUnresolvedWildcard);
  } else if (peer != kPeerNull && peer != kPeerNone) {
    if (!trace_.timed()) {
      throw Error(fmt::format("a call names rank {}", peer),
                  fmt::format("the ranks are 0 to {}", trace_.ranks() - 1), "Correct the program.");
    }
    findings_.add(kBadPeer, fmt::format("rank {}", peer));
  }
  return false;
}

void RankProgram::begin_call(ExecutionContext& context) {
  ProgramPosition& program = context.program;
  program.call = program.next_call++;
  program.call_open = true;
  program.call_began = parts_.contexts.now();
  const Call call = trace_.calls(context.rank).action(program.call);
  const OperationClass op_class = operation_class(call.operation);
  switch (op_class) {
    case OperationClass::send:
    case OperationClass::isend:
      return enter_message(context, call, true, op_class == OperationClass::send);
    case OperationClass::recv:
    case OperationClass::irecv:
      return enter_message(context, call, false, op_class == OperationClass::recv);
    case OperationClass::sendrecv:
      return enter_sendrecv(context, call);
    case OperationClass::start:
      return enter_start(context, call);
    case OperationClass::completion:
      return enter_completion(context, call);
    case OperationClass::request_other:
      if (call.operation == Operation::request_free) {
        parts_.requests.erase(context.rank, call.request);
      }
      return;
    case OperationClass::probe:
      return enter_probe(context, call);
    case OperationClass::collective:
    case OperationClass::icollective:
    case OperationClass::comm_create:
      return enter_collective(context, call);
    case OperationClass::one_sided:
      return findings_.add(kOneSidedNotModelled);
    case OperationClass::io:
      return findings_.add(kIoNotModelled);
    case OperationClass::environment:
      if (call.operation == Operation::finalize) program.over = true;
      return;
    case OperationClass::none:
    case OperationClass::request_init:
    case OperationClass::local:
      return;
  }
}

/// A call that is one message. A nonblocking one without a request ends with its call.
void RankProgram::enter_message(ExecutionContext& context, const Call& call, bool send,
                                bool blocking) {
  if (call.has(SLK_FLAG_CANCELLED) || !peer_exists(call.peer)) return;
  const Message message{.peer = call.peer,
                        .tag = call.tag,
                        .comm = call.comm,
                        .bytes = call.bytes,
                        .mode = call.operation,
                        .serial = blocking ? kRequestNone : call.request,
                        .send = send,
                        .blocking = blocking};
  if (blocking || message.serial != kRequestNone) return parts_.messages.start(context, message);
  context.posting.queue.push_back(message);
}

/// The call's arguments: source, receive tag, received bytes, receive flags. A rank that exchanges
/// with itself sends no message.
void RankProgram::enter_sendrecv(ExecutionContext& context, const Call& call) {
  const auto source = call.args.size() >= 2 ? static_cast<std::int32_t>(call.args[0]) : kPeerNone;
  if (call.peer == context.rank && source == context.rank) return;
  if (peer_exists(call.peer)) {
    context.posting.queue.push_back({.peer = call.peer,
                                     .tag = call.tag,
                                     .comm = call.comm,
                                     .bytes = call.bytes,
                                     .send = true,
                                     .blocking = false});
  }
  if (source != kPeerNone && peer_exists(source)) {
    context.posting.queue.push_back(
        {.peer = source, .tag = call.args[1], .comm = call.comm, .send = false, .blocking = false});
  }
}

void RankProgram::enter_start(ExecutionContext& context, const Call& call) {
  for (std::size_t at = 0; at + kStartGroup <= call.args.size(); at += kStartGroup) {
    const auto group = call.args.subspan(at, kStartGroup);
    const auto mode = static_cast<Operation>(group[1]);
    const auto peer = static_cast<std::int32_t>(group[2]);
    if (!peer_exists(peer)) continue;
    context.posting.queue.push_back({.peer = peer,
                                     .tag = group[3],
                                     .comm = static_cast<std::uint32_t>(group[5]),
                                     .bytes = static_cast<std::uint64_t>(group[4]),
                                     .mode = mode,
                                     .serial = static_cast<std::uint32_t>(group[0]),
                                     .send = mode != Operation::recv_init,
                                     .blocking = false});
  }
}

void RankProgram::enter_completion(ExecutionContext& context, const Call& call) {
  if (call.has(SLK_FLAG_FAILED)) return enter_failed_completion(context, call);
  const std::int32_t rank = context.rank;
  std::vector<Request> all;
  const auto take = [&](std::uint32_t serial) {
    const Request* found = parts_.requests.find(rank, serial);
    if (found == nullptr) return;
    all.push_back(*found);
    parts_.requests.erase(rank, serial);
  };
  if (call.request != kRequestNone) take(call.request);
  for (const std::int64_t serial : call.args) take(static_cast<std::uint32_t>(serial));
  parts_.requests.wait_for(context, all);
}

/// A test that failed when it was recorded. In a program in flops every test is written so, and the
/// simulation finds its outcome.
void RankProgram::enter_failed_completion(ExecutionContext& context, const Call& call) {
  if (!in_flops_) return;
  const Request* tested = parts_.requests.find(context.rank, call.request);
  if (tested != nullptr) parts_.polling.begin_test(context, *tested, call.request);
}

void RankProgram::enter_probe(ExecutionContext& context, const Call& call) {
  if (call.has(SLK_FLAG_FAILED) || !peer_exists(call.peer)) return;
  parts_.polling.begin_probe(
      context,
      {.source = call.peer, .destination = context.rank, .tag = call.tag, .comm = call.comm});
}

/// A nonblocking collective progresses in a context of its own, beside its rank's program.
void RankProgram::enter_collective(ExecutionContext& context, const Call& call) {
  if (!is_collective(call) || collective_comm(call) >= trace_.communicators().size()) return;
  if (call.request == kRequestNone) return parts_.collectives.enter(context, call);
  ExecutionContext& beside = parts_.contexts.create(context.rank, false);
  if (parts_.order != nullptr) parts_.order->created(beside.id, context.id);
  parts_.collectives.enter(beside, call);
  parts_.requests.add(context.rank, call.request, {Request::Kind::context, beside.id});
  parts_.contexts.resume(beside);
}

}  // namespace slackline::sim
