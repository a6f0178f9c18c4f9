#include "sim/engine/collective_execution.h"
#include "trace/operation_kinds.h"

#include <algorithm>

namespace slackline::sim {
namespace {

using State = ExecutionContext::State;
using Kind = CollectiveStep::Kind;

constexpr FindingKind kNothingSent{
    "alltoall_sends_nothing", Severity::notice,
    "SimGrid's alltoall algorithm sends nothing on this number of ranks; this is reproduced, and "
    "the call takes no time. Choose another algorithm for realistic times."};

constexpr double kPauseUnit = 1e-9;  // seconds: a pause is given in nanoseconds

}  // namespace

CollectiveExecution::CollectiveExecution(const Trace& trace,
                                         const std::vector<HostId>& host_of_rank,
                                         const ChooseCollective& choose, const NetworkModel& model,
                                         Parts parts, Findings& findings)
    : choose_(choose),
      model_(model),
      parts_(parts),
      findings_(findings),
      collectives_(trace, assemble_collectives(trace), CollectiveChoice{}, findings),
      nodes_(host_of_rank),
      of_rank_(static_cast<std::size_t>(trace.ranks())) {}

void CollectiveExecution::enter(ExecutionContext& context, const Call& call) {
  const auto [instance, sequence, own_rank] =
      parts_.live != nullptr ? parts_.live->enter(context, call)
                             : of_rank_[static_cast<std::size_t>(context.rank)].enter(
                                   collectives_, context.rank, collective_comm(call));
  if (instance.members.size() < 2 || own_rank < 0) return;
  CollectiveProgress& progress = context.collective;
  progress.instance = &instance;
  progress.rank = own_rank;
  progress.sequence = sequence;
  progress.args = call.args;
  progress.tag = collective_tag(call.operation, sequence);
  progress.next_step = 0;
  expand(context);
}

/// Computes the context's steps, as far as they are known.
void CollectiveExecution::expand(ExecutionContext& context) {
  CollectiveProgress& progress = context.collective;
  const CollectiveIndex::Instance& instance = *progress.instance;
  const std::uint32_t sequence = progress.sequence;
  CollectiveCall performed = instance.call;
  performed.single_waits = true;
  performed.self_messages = true;
  performed.choose = &choose_;
  performed.nodes = nodes_.of(instance);
  NodeKnowledge knowledge = nodes_.known(instance.comm, sequence);
  performed.knowledge = &knowledge;
  ArrivalRecord first;
  const auto known = arrivals_.find({instance.comm, sequence});
  Arrivals arrivals(known == arrivals_.end() ? first : known->second.record);
  performed.arrivals = &arrivals;
  const SmpiDecision decision = choose_(performed);
  apply(decision, performed);
  progress.algorithm = decision.algorithm;
  progress.steps.clear();
  decision.algorithm->expand(performed, progress.rank, own_counts(instance, progress.args),
                             progress.steps);
  nodes_.add(instance.comm, sequence, knowledge);
  keep_arrivals(instance, sequence, arrivals, std::move(first));
  if (arrivals.incomplete()) return progress.steps.push_back({.kind = Kind::more});
  if (progress.steps.empty() && instance.call.operation == Operation::alltoall &&
      performed.bytes > 0) {
    findings_.add(kNothingSent, decision.algorithm->smpi_name);
  }
  // Whatever an algorithm leaves started ends with the call.
  progress.steps.push_back({.kind = Kind::wait_all});
}

/// The record of a collective by order of arrival is kept from its first rank's expansion until the
/// last one's is complete.
void CollectiveExecution::keep_arrivals(const CollectiveIndex::Instance& instance,
                                        std::uint32_t sequence, const Arrivals& arrivals,
                                        ArrivalRecord&& first) {
  const std::pair key{instance.comm, sequence};
  auto kept = arrivals_.find(key);
  if (kept == arrivals_.end()) {
    if (first.rounds.empty()) return;
    kept = arrivals_.emplace(key, KnownArrivals{.record = std::move(first)}).first;
  }
  if (!arrivals.incomplete() && ++kept->second.complete == instance.members.size()) {
    arrivals_.erase(kept);
  }
}

void CollectiveExecution::step(ExecutionContext& context) {
  if (context.polled.by_collective != CollectiveProbe::none) end_probe(context);
  CollectiveProgress& progress = context.collective;
  if (progress.next_step == progress.steps.size()) {
    progress.instance = nullptr;
    progress.steps.clear();
    context.outstanding.clear();
    return;
  }
  const CollectiveStep step = progress.steps[progress.next_step++];
  switch (step.kind) {
    case Kind::wait_all:
      return parts_.requests.wait_for_outstanding(context);
    case Kind::wait:
      return wait_for_one(context, step.peer);
    case Kind::look:
    case Kind::poll:
      return probe(context, step);
    case Kind::clock:
      return pass_time(context, model_.clock_sleep);
    case Kind::pause:
      return pass_time(context, static_cast<double>(step.bytes) * kPauseUnit);
    case Kind::more:
      --progress.next_step;  // the first of the steps that replace it
      return expand(context);
    case Kind::send:
    case Kind::isend:
    case Kind::recv:
    case Kind::irecv:
      return start_message(context, step);
  }
}

void CollectiveExecution::start_message(ExecutionContext& context, const CollectiveStep& step) {
  Message message;
  message.peer = step.peer < 0 ? kPeerAny : member(context, step.peer);
  message.anonymous = step.anonymous;
  message.tag = context.collective.tag;
  message.comm = context.collective.instance->comm;
  message.bytes = step.bytes;
  message.send = step.kind == Kind::send || step.kind == Kind::isend;
  message.blocking = step.kind == Kind::send || step.kind == Kind::recv;
  parts_.messages.start(context, message);
}

void CollectiveExecution::wait_for_one(ExecutionContext& context, std::int32_t place) {
  auto& outstanding = context.outstanding;
  const auto chosen = outstanding.begin() + place;
  const Request request = *chosen;
  outstanding.erase(chosen);
  parts_.requests.wait_for(context, request);
}

/// The rank that a step of the context's collective names.
std::int32_t CollectiveExecution::member(const ExecutionContext& context, std::int32_t peer) {
  const CollectiveIndex::Instance& instance = *context.collective.instance;
  if (is_neighbourhood(instance.call.operation)) return peer;
  return instance.members[static_cast<std::size_t>(peer)];
}

/// Overhead that belongs to no message.
void CollectiveExecution::pass_time(ExecutionContext& context, double seconds) {
  if (seconds <= 0) return;
  parts_.accounting.add_overhead(context, seconds);
  parts_.contexts.sleep(context, seconds, State::computing);
}

/// Rank 0 of a collective by order of arrival looks whether a message of another rank has come.
void CollectiveExecution::probe(ExecutionContext& context, const CollectiveStep& step) {
  const Channel channel{.source = member(context, step.peer),
                        .destination = context.rank,
                        .tag = context.collective.tag,
                        .comm = context.collective.instance->comm};
  parts_.polling.begin_collective_probe(
      context, channel,
      step.kind == Kind::poll ? CollectiveProbe::until_found : CollectiveProbe::once);
}

void CollectiveExecution::end_probe(ExecutionContext& context) {
  const bool found = parts_.polling.end_collective_probe(context);
  const CollectiveProgress& progress = context.collective;
  arrivals_.at({progress.instance->comm, progress.sequence}).record.found.push_back(found);
}

}  // namespace slackline::sim
