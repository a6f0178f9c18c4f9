// A rank's program: which call or computation comes next, and what a call starts.

#include "sim/engine/rank_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
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
  const RankCalls& calls = trace_.calls(context.rank);
  if (!in_flops_ && !program.gap_over && !program.over && !calls.empty()) {
    program.gap_over = true;
    if (begin_gap(context)) return true;
  }
  if (program.over || program.next_call >= calls.size()) {
    if (program.over || parts_.live == nullptr) return wait_for_rest(context);
    parts_.live->next(context);
    return true;
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
  parts_.contexts.compute(context, static_cast<double>(leave.time_ns - enter.time_ns) *
                                       flops_per_nano * options_.compute_scale);
}

/// The measured computation before the next call, or after the last; false when there is none.
bool RankProgram::begin_gap(ExecutionContext& context) {
  const auto gap =
      static_cast<double>(trace_.calls(context.rank).gap_ns(context.program.next_call));
  const double seconds = gap * kSecondsPerNano * options_.compute_scale;
  const double own_speed = platform_.host(parts_.contexts.host(context)).speed();
  const double speed = options_.reference_speed > 0 ? options_.reference_speed : own_speed;
  if (seconds <= 0) return false;
  parts_.contexts.compute(context, seconds * speed);
  return true;
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
  if (peer == kPeerAny && parts_.live != nullptr) return true;
  if (peer == kPeerAny) {
    findings_.add(kUnresolvedWildcard);
  } else if (peer != kPeerNull && peer != kPeerNone) {
    if (!trace_.timed()) {
      throw Error(fmt::format("a call refers to rank {}", peer),
                  fmt::format("the ranks are 0 to {}", trace_.ranks() - 1), "Correct the program.");
    }
    findings_.add(kBadPeer, fmt::format("rank {}", peer));
  }
  return false;
}

/// What the actions of a call do to its rank's context.
class RankProgram::Actions {
 public:
  Actions(RankProgram& program, ExecutionContext& context) : program_(program), context_(context) {}

  void send(const PostedMessage& message) { program_.post(context_, message, true); }
  void receive(const PostedMessage& message) { program_.post(context_, message, false); }
  void exchange(const PostedMessage* from, const PostedMessage& to) {
    program_.exchange(context_, from, to);
  }
  void complete(const Call& call) { program_.complete(context_, call); }
  void unsuccessful_test(std::uint32_t request) { program_.unsuccessful_test(context_, request); }
  void free_request(std::uint32_t request) {
    program_.parts_.requests.erase(context_.rank, request);
  }
  void probe(const Call& call) { program_.enter_probe(context_, call); }
  void collective(const Call& call) { program_.enter_collective(context_, call); }
  void one_sided(const Call& /*call*/) {
    if (program_.parts_.live == nullptr) program_.findings_.add(kOneSidedNotModelled);
  }
  void io() { program_.access_file(context_); }
  void free_communicator() {}
  void initialize() {}
  void finalize() { context_.program.over = true; }

 private:
  RankProgram& program_;
  ExecutionContext& context_;
};

void RankProgram::begin_call(ExecutionContext& context) {
  ProgramPosition& program = context.program;
  program.call = program.next_call++;
  program.call_open = true;
  const double began = std::exchange(program.next_began, -1);
  program.call_began = began >= 0 ? began : parts_.contexts.now();
  Actions actions(*this, context);
  visit_actions(trace_.calls(context.rank).action(program.call), actions);
}

/// One of several messages that a call starts waits for its turn. So does one without a request,
/// which ends with its call.
void RankProgram::post(ExecutionContext& context, const PostedMessage& posted, bool send) {
  if (!peer_exists(posted.peer)) return;
  const Message message{.peer = posted.peer,
                        .tag = posted.tag,
                        .comm = posted.comm,
                        .bytes = posted.bytes,
                        .mode = posted.mode,
                        .serial = posted.request,
                        .send = send,
                        .blocking = posted.blocking};
  const bool one_of_several = operation_class(posted.mode) == OperationClass::request_init;
  const bool refers = posted.blocking || posted.request != kRequestNone;
  if (refers && !one_of_several) return parts_.messages.start(context, message);
  context.posting.queue.push_back(message);
}

/// A rank that exchanges with itself sends no message.
void RankProgram::exchange(ExecutionContext& context, const PostedMessage* from,
                           const PostedMessage& to) {
  if (from != nullptr && to.peer == context.rank && from->peer == context.rank) return;
  if (peer_exists(to.peer)) {
    context.posting.queue.push_back({.peer = to.peer,
                                     .tag = to.tag,
                                     .comm = to.comm,
                                     .bytes = to.bytes,
                                     .send = true,
                                     .blocking = false});
  }
  if (from != nullptr && peer_exists(from->peer)) {
    context.posting.queue.push_back({.peer = from->peer,
                                     .tag = from->tag,
                                     .comm = from->comm,
                                     .send = false,
                                     .blocking = false});
  }
}

void RankProgram::complete(ExecutionContext& context, const Call& call) {
  std::vector<Request> all;
  for_each_completed_request(call, [&](std::uint32_t serial) {
    const Request* found = parts_.requests.find(context.rank, serial);
    if (found == nullptr) return;
    all.push_back(*found);
    parts_.requests.erase(context.rank, serial);
  });
  parts_.requests.wait_for(context, all);
}

/// A test that failed when it was recorded. In a program in flops every test is written so, and the
/// simulation finds its outcome.
void RankProgram::unsuccessful_test(ExecutionContext& context, std::uint32_t request) {
  if (!in_flops_) return;
  const Request* tested = parts_.requests.find(context.rank, request);
  if (tested != nullptr) parts_.polling.begin_test(context, *tested, request);
}

/// In a live program, what was found is known when the call is.
void RankProgram::enter_probe(ExecutionContext& context, const Call& call) {
  if (parts_.live != nullptr || !peer_exists(call.peer)) return;
  parts_.polling.begin_probe(
      context,
      {.source = call.peer, .destination = context.rank, .tag = call.tag, .comm = call.comm});
}

/// Beside its own part, what a collective access costs is not simulated.
void RankProgram::access_file(ExecutionContext& context) {
  const Call call = trace_.calls(context.rank).action(context.program.call);
  const HostSpec& host = platform_.host(parts_.contexts.host(context));
  if (host.disks.empty()) return findings_.add(kIoNotModelled);
  const bool write = writes_file(call.operation);
  if (call.bytes == 0 || (!write && !reads_file(call.operation))) return;
  const auto disk = static_cast<std::size_t>(std::max(call.tag, 0));
  parts_.contexts.access(context, std::min(disk, host.disks.size() - 1),
                         static_cast<double>(call.bytes), write);
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
