// The calls of a program that runs while it is simulated.
//
// The problem: an unmodified program, one process a rank, is to see simulated time and simulated
// messages. Its preloaded library (runtime/online) hands every call over and sleeps until it is
// answered.
//
// The idea: the engine simulates a trace that grows. Whenever it has executed all calls of a rank
// that are known, it asks here for the next one: the rank's process is let go on, computes, and
// hands its next call over, which is appended to the trace. One process runs at a time, so that its
// CPU time is its own, and nothing depends on the order in which processes run. As a trace names
// what happened, calls whose outcome is open (wildcards, tests, probes, waiting for any request)
// are appended when the simulation knows it.
//
// Message data: the sender's block is told to whoever the simulation matches the message with.

#include "online/online_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "calls/call_actions.h"
#include "online/call_check.h"
#include "online/processes.h"
#include "online/rank_activity.h"
#include "online/simulator_process.h"
#include "sim/engine/matching.h"
#include "trace/operation_kinds.h"

namespace slackline::online {
namespace {

using State = sim::ExecutionContext::State;

constexpr double kNano = 1e-9;
constexpr int kProcessCheck_ms = 100;  // between looks whether the process still lives

bool waits_for_first(Operation operation) {
  return operation == Operation::waitany || operation == Operation::waitsome;
}

bool marks_region(const slk_online_call& call) {
  return call.kind == SLK_ONLINE_ENTER || call.kind == SLK_ONLINE_LEAVE;
}

bool takes_all(Operation operation) {
  return operation == Operation::test || operation == Operation::testall;
}

std::uint8_t wildcards(std::int32_t source, std::int32_t tag) {
  return static_cast<std::uint8_t>((source == SLK_PEER_ANY ? SLK_FLAG_ANY_SOURCE : 0) |
                                   (tag == SLK_TAG_ANY ? SLK_FLAG_ANY_TAG : 0));
}

}  // namespace

OnlineProgram::OnlineProgram(const Job& job)
    : job_(job),
      states_(static_cast<std::size_t>(job.trace.ranks())),
      one_sided_(job.trace.ranks(), matching_),
      collectives_(job.trace) {}

void OnlineProgram::begin(sim::ContextScheduler& contexts, sim::MessagePassing& messages,
                          sim::Requests& requests, sim::Polling& polling) {
  contexts_ = &contexts;
  messages_ = &messages;
  requests_ = &requests;
  polling_ = &polling;
  one_sided_.begin(contexts, requests);
}

sim::Channel OnlineProgram::as_asked_for(const sim::Channel& channel) const {
  return sim::in_collective(channel) ? channel : matching_.as_asked_for(channel);
}

std::string OnlineProgram::call_path(std::int32_t rank) const {
  return job_.knows_call_paths ? call_path_of_process(job_.processes.id(rank)) : std::string();
}

std::string OnlineProgram::deadlock_advice() const {
  require_one_thread_in_mpi(job_.memory);
  if (std::string advice = advice_on_threads(job_.memory, job_.trace.ranks()); !advice.empty()) {
    return advice;
  }
  std::uint64_t skipped = 0;
  for (const SampledBlock& block : sampled_blocks(job_.memory, job_.trace.ranks()))
    skipped += block.skipped;
  if (skipped == 0) return {};
  return fmt::format(
      "Sampled blocks were skipped {} times: a block that calls MPI, though not in its first "
      "executions, must not be sampled.",
      format_count(skipped));
}

void OnlineProgram::next(sim::ExecutionContext& context) {
  RankState& of = state(context.rank);
  switch (of.phase) {
    case Phase::executing:
      answer(context);
      [[fallthrough]];
    case Phase::starting:
      if (fetch(context)) return begin_gap(context);
      context.state = State::blocked;  // for good, as the simulation is given up
      return;
    case Phase::computing:
      context.program.next_began = contexts_->now();
      return perform(context);
    case Phase::polling: {
      const auto operation = static_cast<Operation>(of.call.operation);
      return operation_class(operation) == OperationClass::probe ? end_probe(context, operation)
                                                                 : test(context, operation);
    }
    case Phase::locking:
      return ask_for_lock(context);
    case Phase::transferring:
      return end_one_sided(context);
  }
}

// The way to the process and back.

/// False when the run is interrupted.
bool OnlineProgram::await_call(std::int32_t rank) {
  show_progress();
  if (job_.watch_memory) memory_watch_.check();
  require_one_thread_in_mpi(job_.memory);
  while (!job_.memory.wait_for_call(rank, kProcessCheck_ms)) {
    require_one_thread_in_mpi(job_.memory);
    show_progress();
    if (job_.watch_memory) memory_watch_.check();
    interrupted_ = interrupted_ || Interruption::signal() != 0;
    if (interrupted_) return false;
    const std::optional<int> status = job_.processes.ended(rank);
    if (!status) continue;
    require_one_thread_in_mpi(job_.memory);
    const bool begun = state(rank).phase != Phase::starting;
    throw Error(fmt::format("rank {} ended {} (exit status {})", rank,
                            begun ? "without MPI_Finalize" : "without MPI_Init", *status),
                begun ? "its process is gone" : "the program made no MPI call that was seen",
                begun ? "See what the program printed."
                      : "Name an MPI program that is linked dynamically, without a launcher.");
  }
  interrupted_ = interrupted_ || Interruption::signal() != 0;
  return !interrupted_;
}

void OnlineProgram::show_progress() {
  progress_.update_text([&] {
    std::size_t waiting = 0;
    for (std::size_t r = 0; r < states_.size(); ++r) {
      const State now = (*contexts_)[static_cast<sim::ContextId>(r)].state;
      waiting += now == State::waiting || now == State::blocked ? 1 : 0;
    }
    return fmt::format("{:.6f} s, {} of {} ranks wait, {} calls", contexts_->now(), waiting,
                       states_.size(), calls_);
  });
}

/// The rank's next call; false when the run is interrupted.
bool OnlineProgram::fetch(sim::ExecutionContext& context) {
  const std::int32_t rank = context.rank;
  RankState& of = state(rank);
  if (of.queue.empty() && !take_calls(rank)) return false;
  of.call = of.queue.back();
  of.queue.pop_back();
  slk_online_rank& area = job_.memory.rank(rank);
  const std::span<const std::int64_t> list = list_of(rank, of.call, area);
  of.list.assign(list.begin(), list.end());
  check_call(rank, of.call, of.list,
             {.ranks = job_.trace.ranks(),
              .members = collectives_.size(of.call.comm),
              .is_member = collectives_.is_member(of.call.comm, rank),
              .shared_bytes = job_.memory.bytes()});
  if (of.call.result != 0 && !of.left.empty()) of.left.back()->result = of.call.result;
  release(of);
  ++calls_;
  if (of.call.kind == SLK_ONLINE_REFUSED) {
    area.refused[SLK_ONLINE_NAME - 1] = '\0';
    throw Error(fmt::format("cannot simulate the program: rank {} calls {}", rank, area.refused),
                "on-line simulation knows the calls of doc/online-simulation.md only",
                "Record a run and simulate its trace instead.");
  }
  if (of.call.kind == SLK_ONLINE_ABORT) {
    throw Error(fmt::format("rank {} called MPI_Abort with {}", rank, of.call.peer),
                "the program gave up", "See what it printed.");
  }
  return true;
}

/// All that the process hands over at once; the last one is to be answered.
bool OnlineProgram::take_calls(std::int32_t rank) {
  if (!await_call(rank)) return false;
  const slk_online_rank& area = job_.memory.rank(rank);
  std::vector<slk_online_call>& queue = state(rank).queue;
  queue.push_back(area.call);
  const std::size_t queued = std::min<std::size_t>(area.queued, SLK_ONLINE_QUEUE);
  for (std::size_t i = queued; i-- > 0;) queue.push_back(area.queue[i]);
  return true;
}

/// The blocks of collectives that the process has read may be used again, once all have.
void OnlineProgram::release(RankState& of) {
  for (LiveCollective* collective : std::exchange(of.left, {})) {
    if (!LiveCollectives::all_left(*collective)) continue;
    for (const std::uint64_t block : collective->blocks) {
      if (block != 0) job_.memory.block(block).free = 1;
    }
    if (collective->result != 0) {
      job_.memory.block(collective->result).free = 1;
    }
    collectives_.forget(*collective);
  }
}

/// The computation before the call.
void OnlineProgram::begin_gap(sim::ExecutionContext& context) {
  RankState& of = state(context.rank);
  of.phase = Phase::computing;
  const auto cpu_ns = static_cast<double>(of.call.cpu_ns);
  of.gap_ns += cpu_ns;
  of.ahead_ns += cpu_ns;
  // The computation around it is one piece, as in the simulation of the trace.
  if (marks_region(of.call)) return;
  const double seconds = std::exchange(of.ahead_ns, 0) * kNano * job_.compute_scale;
  if (seconds <= 0) return;
  const double own = job_.platform.host(contexts_->host(context)).speed();
  const double speed = job_.reference_speed > 0 ? job_.reference_speed : own;
  contexts_->compute(context, seconds * speed);
}

void OnlineProgram::perform(sim::ExecutionContext& context) {
  RankState& of = state(context.rank);
  of.phase = Phase::executing;
  if (of.call.kind == SLK_ONLINE_SLEEP) {
    const auto ns = static_cast<double>(of.call.bytes);
    of.gap_ns += ns;
    context.program.computing_since = contexts_->now();
    return contexts_->sleep(context, ns * kNano, State::computing);
  }
  if (of.call.kind == SLK_ONLINE_FLUSH) return;
  if (marks_region(of.call)) return append_region(context.rank);
  if (of.call.kind == SLK_ONLINE_CANCEL) return cancel(context);
  perform_call(context, static_cast<Operation>(of.call.operation));
}

void OnlineProgram::perform_call(sim::ExecutionContext& context, Operation operation) {
  RankState& of = state(context.rank);
  switch (operation_class(operation)) {
    case OperationClass::send:
    case OperationClass::isend:
    case OperationClass::recv:
    case OperationClass::irecv:
      return post_message(context, operation);
    case OperationClass::sendrecv:
      return exchange(context, operation);
    case OperationClass::collective:
    case OperationClass::icollective:
    case OperationClass::comm_create:
      return enter_collective(context, operation);
    case OperationClass::probe:
      return begin_probe(context);
    case OperationClass::one_sided:
      return begin_one_sided(context, operation);
    case OperationClass::io:
      return append(context, file_access(context, operation));
    case OperationClass::completion:
      break;
    default:
      // MPI_Finalize ends the rank for the engine, so it is answered first.
      if (operation == Operation::finalize) {
        job_.memory.rank(context.rank).answer.now = contexts_->now();
        job_.memory.resume(context.rank);
      }
      return append(context, {.operation = operation});
  }
  if (operation == Operation::wait || operation == Operation::waitall) {
    return append_completion(context, operation, of.list);
  }
  test(context, operation);
}

/// The tag is the number of the disk.
Call OnlineProgram::file_access(const sim::ExecutionContext& context, Operation operation) {
  const slk_online_call& call = state(context.rank).call;
  const std::string_view file(call.name, strnlen(call.name, SLK_ONLINE_NAME));
  const HostSpec& host = job_.platform.host(contexts_->host(context));
  return {.operation = operation,
          .bytes = call.bytes,
          .tag = static_cast<std::int32_t>(host.disk_of(file)),
          .comm = call.comm};
}

/// The end of the computation so far in the trace, whose calls take no time yet.
std::int64_t OnlineProgram::trace_time(std::int32_t rank) {
  const RankCalls& calls = job_.trace.calls(rank);
  const std::int64_t before = calls.empty() ? 0 : calls.end_ns(calls.size() - 1);
  return before + std::llround(state(rank).gap_ns);
}

void OnlineProgram::append_region(std::int32_t rank) {
  const slk_online_call& call = state(rank).call;
  const std::string_view name(call.name, strnlen(call.name, SLK_ONLINE_NAME));
  RankCallsBuilder& calls = job_.trace.calls(rank);
  calls.append_region({.time_ns = trace_time(rank),
                       .region = job_.trace.region_id(name),
                       .before_call = static_cast<std::uint32_t>(calls.size()),
                       .enter = call.kind == SLK_ONLINE_ENTER});
}

/// The engine executes the call next; the computation before it has passed already.
void OnlineProgram::append(sim::ExecutionContext& context, Call call) {
  RankState& of = state(context.rank);
  RankCallsBuilder& calls = job_.trace.calls(context.rank);
  call.begin_ns = call.end_ns = trace_time(context.rank);
  call.frame = of.call.path;
  of.gap_ns = 0;
  calls.append(call);
  context.program.gap_over = true;
  of.phase = Phase::executing;
}

// Calls that the engine executes as they are.

void OnlineProgram::post_message(sim::ExecutionContext& context, Operation operation) {
  RankState& of = state(context.rank);
  const bool blocking = operation_class(operation) == OperationClass::send ||
                        operation_class(operation) == OperationClass::recv;
  const bool sends = operation_class(operation) == OperationClass::send ||
                     operation_class(operation) == OperationClass::isend;
  const std::uint32_t serial = blocking ? 0 : of.call.serial;
  Call call{.operation = operation,
            .bytes = of.call.bytes,
            .peer = of.call.peer,
            .tag = of.call.tag,
            .comm = of.call.comm,
            .request = serial};
  if (!sends) {
    call.flags = wildcards(of.call.peer, of.call.tag);
    of.receives[serial] = job_.trace.calls(context.rank).size();
  } else {
    of.outgoing[serial] = {of.call.data, of.call.bytes};
  }
  append(context, call);
}

void OnlineProgram::exchange(sim::ExecutionContext& context, Operation operation) {
  RankState& of = state(context.rank);
  of.outgoing[0] = {of.call.data, of.call.bytes};
  const std::array<std::int64_t, 4> args{of.call.source, of.call.source_tag, 0,
                                         wildcards(of.call.source, of.call.source_tag)};
  // The engine sends no message from a rank to itself.
  if (of.call.peer == context.rank && of.call.source == context.rank) {
    of.got[0] = {context.rank, of.call.tag, of.call.bytes, of.call.data};
  }
  of.receives[0] = job_.trace.calls(context.rank).size();
  append(context, {.operation = operation,
                   .bytes = of.call.bytes,
                   .peer = of.call.peer,
                   .tag = of.call.tag,
                   .comm = of.call.comm,
                   .args = args});
}

void OnlineProgram::enter_collective(sim::ExecutionContext& context, Operation operation) {
  RankState& of = state(context.rank);
  const bool makes = operation_class(operation) == OperationClass::comm_create;
  const bool nonblocking = of.call.place != 0;
  const std::uint32_t serial = nonblocking ? of.call.serial : 0;
  // Which communicator a maker makes is known when all have entered.
  if (makes) {
    const bool by_members = is_made_by_members(operation);
    of.list.assign(
        1, std::int64_t{by_members ? collectives_.of_members(of.call.comm, of.call.tag, of.list)
                                   : kCommNull});
    if (nonblocking) of.makers[serial] = job_.trace.calls(context.rank).size();
  }
  const Call call{.operation = operation,
                  .flags = static_cast<std::uint8_t>(of.call.flags),
                  .bytes = makes ? 0 : of.call.bytes,
                  .peer = makes ? kPeerNone : of.call.peer,
                  .tag = makes ? 0 : of.call.tag,
                  .comm = of.call.comm,
                  .request = serial,
                  .args = of.list};
  std::int32_t color = of.call.color;
  if (operation == Operation::comm_split_type && color >= 0) {
    color = static_cast<std::int32_t>(contexts_->host(context));
  }
  LiveCollective& collective =
      collectives_.contribute(context.rank, call, {of.call.data, color, of.call.key});
  of.collectives[serial] = &collective;
  append(context, call);
}

CollectiveCursor::Entered OnlineProgram::enter(const sim::ExecutionContext& context,
                                               const Call& call) {
  return collectives_.view(context.id, context.rank, call);
}

// Completion: the outcome is the simulation's.

std::vector<sim::Request> OnlineProgram::requests_of(const sim::ExecutionContext& context) {
  std::vector<sim::Request> found;
  for (const std::int64_t place : state(context.rank).list) {
    const std::uint32_t serial =
        job_.memory.rank(context.rank).requests[static_cast<std::size_t>(place)].serial;
    const sim::Request* request = requests_->find(context.rank, serial);
    found.push_back(request == nullptr ? sim::Request{} : *request);
  }
  return found;
}

void OnlineProgram::test(sim::ExecutionContext& context, Operation operation) {
  RankState& of = state(context.rank);
  const std::vector<sim::Request> requests = requests_of(context);
  std::vector<std::int64_t> over;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests_->is_over(requests[i])) over.push_back(of.list[i]);
  }
  if (completes_one(operation) && over.size() > 1) over.erase(over.begin() + 1, over.end());
  if (takes_all(operation) && over.size() < requests.size()) over.clear();
  if (!over.empty()) return append_completion(context, operation, std::move(over));
  if (waits_for_first(operation)) {
    of.phase = Phase::polling;
    return requests_->wait_for_first(context, requests);
  }
  of.list.clear();
  append_failed(context, {.operation = operation});
  contexts_->sleep(context, job_.test_seconds, State::computing);
}

/// The call completes the requests at those places.
void OnlineProgram::append_completion(sim::ExecutionContext& context, Operation operation,
                                      std::vector<std::int64_t> places) {
  RankState& of = state(context.rank);
  of.list = std::move(places);
  std::vector<std::int64_t> serials(of.list.size());
  std::ranges::transform(of.list, serials.begin(), [&](std::int64_t place) {
    return std::int64_t{serial_at(context.rank, place)};
  });
  if (lists_requests(operation)) return append(context, {.operation = operation, .args = serials});
  append(context, {.operation = operation, .request = static_cast<std::uint32_t>(serials.front())});
}

/// Polls are told apart from what succeeds, but have no length in the trace.
void OnlineProgram::append_failed(sim::ExecutionContext& context, Call call) {
  const std::array<std::int64_t, 2> one_poll{1, 0};
  call.flags |= SLK_FLAG_FAILED;
  call.args = one_poll;
  append(context, call);
}

std::uint32_t OnlineProgram::serial_at(std::int32_t rank, std::int64_t place) {
  return job_.memory.rank(rank).requests[static_cast<std::size_t>(place)].serial;
}

// A probe is polls, each as long as in the simulation of a trace.

void OnlineProgram::begin_probe(sim::ExecutionContext& context) {
  RankState& of = state(context.rank);
  of.phase = Phase::polling;
  const bool blocking = static_cast<Operation>(of.call.operation) == Operation::probe;
  context.polled.probed = {.source = of.call.peer,
                           .destination = context.rank,
                           .tag = of.call.tag,
                           .comm = of.call.comm};
  polling_->begin_live_poll(context, blocking);
}

void OnlineProgram::end_probe(sim::ExecutionContext& context, Operation operation) {
  const RankState& of = state(context.rank);
  const PostedReceive like{of.call.peer, of.call.tag, context.rank, 0};
  const std::optional<SentMessage> found = matching_.find(of.call.comm, like);
  const bool blocking = operation == Operation::probe;
  polling_->end_live_poll(context, blocking, found.has_value());
  if (!found && blocking) return begin_probe(context);
  slk_online_answer& answer = job_.memory.rank(context.rank).answer;
  answer.found = found.has_value();
  Call call{.operation = operation,
            .flags = wildcards(of.call.peer, of.call.tag),
            .peer = of.call.peer,
            .tag = of.call.tag,
            .comm = of.call.comm};
  if (!found) return append_failed(context, call);
  answer.source = call.peer = found->source;
  answer.tag = call.tag = found->tag;
  answer.bytes = call.bytes = found->bytes;
  append(context, call);
}

bool OnlineProgram::can_find(const sim::ExecutionContext& context) const {
  const slk_online_call& call = states_[static_cast<std::size_t>(context.rank)].call;
  return matching_.find(call.comm, {call.peer, call.tag, context.rank, 0}).has_value();
}

// Matching, when the engine posts a message.

void OnlineProgram::begin_post(sim::ContextId id) {
  sim::ExecutionContext& context = (*contexts_)[id];
  sim::Message& message = context.posting.outgoing;
  if (context.main && !sim::in_collective(sim::MessagePassing::channel_of(context))) {
    RankState& of = state(context.rank);
    const auto tag = static_cast<std::int32_t>(message.tag);
    if (message.send) {
      const Outgoing outgoing = of.outgoing[message.serial];
      of.outgoing.erase(message.serial);
      const SentMessage sent{context.rank, tag, outgoing.bytes, outgoing.data};
      const MessageMatching::Match match = matching_.post_send(message.peer, message.comm, sent);
      if (match.receive) message_matched(*match.receive, sent);
      message.tag = match.number;
    } else {
      const PostedReceive posted{message.peer, tag, context.rank, message.serial};
      const MessageMatching::Match match = matching_.post_receive(message.comm, posted);
      if (match.message) message_matched(posted, *match.message);
      message.tag = match.number;
    }
    message.anonymous = true;
  }
  messages_->post_now(context);
}

void OnlineProgram::posted(sim::ContextId context, const sim::Request& request) {
  messages_->started((*contexts_)[context], request);
}

void OnlineProgram::message_matched(const PostedReceive& receive, const SentMessage& message) {
  RankState& of = state(receive.rank);
  of.got[receive.request] = message;
  const auto call = of.receives.find(receive.request);
  if (call == of.receives.end()) return;
  RankCallsBuilder& calls = job_.trace.calls(receive.rank);
  if (operation_class(calls.operation(call->second)) == OperationClass::sendrecv) {
    const std::span<std::int64_t> args = calls.mutable_args(call->second);
    args[0] = message.source;
    args[1] = message.tag;
    args[2] = static_cast<std::int64_t>(message.bytes);
  } else {
    calls.resolve(call->second, message.source, message.tag, message.bytes);
  }
  of.receives.erase(call);
}

}  // namespace slackline::online
