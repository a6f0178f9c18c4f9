#include "graph/collective_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/arithmetic.h"
#include "calls/call_actions.h"
#include "calls/collective_scope.h"
#include "trace/operation_kinds.h"

namespace slackline {
namespace {

constexpr FindingKind kCountsUnknown{
    "alltoallv_counts_unknown", Severity::notice,
    "MPI_Alltoallv or MPI_Alltoallw recorded only with the total bytes of each rank; the model "
    "distributes the mean over the ranks evenly over all pairs."};
constexpr FindingKind kInterCollective{
    "intercommunicator_collective", Severity::notice,
    "Collectives on intercommunicators; modelled as one collective over both groups."};

constexpr std::uint64_t kCommCreateBytes = 8;  // agreeing on a context id

/// At a window or a file?
bool acts_on_object(Operation operation) {
  const CollectiveScope scope = collective_scope(operation);
  return scope == CollectiveScope::window || scope == CollectiveScope::file;
}

CollectiveCall as_collective(const Call& call) {
  CollectiveCall c;
  c.single_waits = true;
  if (acts_on_object(call.operation)) {
    c.operation = Operation::barrier;
    return c;
  }
  if (operation_class(call.operation) == OperationClass::comm_create) {
    c.operation = Operation::allreduce;
    c.bytes = kCommCreateBytes;
    return c;
  }
  c.operation = blocking_form(call.operation);
  c.bytes = call.bytes;
  c.element_bytes = call.tag > 0 ? static_cast<std::uint32_t>(call.tag) : 1;
  c.commutative = !call.has(SLK_FLAG_NON_COMMUTATIVE);
  return c;
}

/// Do the call's args hold the counts of all ranks (and not just what this rank alone exchanges)?
bool has_common_counts(Operation operation) {
  return operation == Operation::gatherv || operation == Operation::scatterv ||
         operation == Operation::allgatherv || operation == Operation::reduce_scatter;
}

/// Do the args hold what this rank alone exchanges with every other one?
bool has_own_counts(Operation operation) {
  return operation == Operation::alltoallv || operation == Operation::alltoallw;
}

/// Says where the algorithm that was asked for does not apply. Of what the library itself decides
/// that is known: it does the same.
void report_stand_in(CollectiveCall call, const CollectiveChoice& choice, Findings& findings) {
  const CollectiveAlgorithm* const asked = choice.ruled(call);
  if (asked == nullptr) return;
  std::string_view performed;
  call.stand_in = &performed;
  std::vector<CollectiveStep> steps;
  asked->expand(call, 0, {}, steps);
  if (performed.empty()) return;
  findings.add(kAlgorithmReplaced, fmt::format("{} of {} bytes among {} ranks: {} instead of {}",
                                               mpi_name(call.operation), call.bytes, call.size,
                                               performed, asked->name));
}

std::int32_t index_of(std::span<const std::int32_t> members, std::int32_t rank) {
  const auto found = std::ranges::find(members, rank);
  return found == members.end() ? 0 : static_cast<std::int32_t>(found - members.begin());
}

}  // namespace

CollectiveIndex::CollectiveIndex(const Trace& trace, const CollectiveCalls& collectives,
                                 const CollectiveChoice& choice, Findings& findings,
                                 const RunPart& part)
    : instances_(collectives.instances.size()),
      per_comm_(trace.communicators().size()),
      unions_(trace.communicators().size()) {
  for (std::uint32_t comm = 0; comm < unions_.size(); ++comm) {
    const Communicator& c = trace.communicators()[comm];
    if (!c.is_inter()) continue;
    unions_[comm] = c.members;
    unions_[comm].insert(unions_[comm].end(), c.remote.begin(), c.remote.end());
    std::ranges::sort(unions_[comm]);
  }
  findings.merge(collectives.findings);
  for (std::uint32_t id = 0; id < instances_.size(); ++id) {
    const bool object = acts_on_object(collectives.instances[id].operation);
    if (!object && !is_collective(collectives.instances[id].operation)) continue;
    add(trace, collectives, id, findings);
    instances_[id].algorithm = &choice.algorithm(instances_[id].call);
    if (collective_scope(collectives.instances[id].operation) == CollectiveScope::file) {
      add_io(trace, collectives.members_of(collectives.instances[id]), instances_[id]);
    }
    if (object) continue;
    const bool creates =
        operation_class(collectives.instances[id].operation) == OperationClass::comm_create;
    const bool counts =
        collectives.members_of(collectives.instances[id]).front().enter >= part.lead();
    if (!creates && counts) report_stand_in(instances_[id].call, choice, findings);
  }
}

/// The collectives of a communicator stand in their order.
void CollectiveIndex::add(const Trace& trace, const CollectiveCalls& collectives, std::uint32_t id,
                          Findings& findings) {
  const CollectiveInstance& c = collectives.instances[id];
  const Communicator& comm = trace.communicators()[c.comm];
  if (is_collective(c.operation)) per_comm_[c.comm].push_back(id);
  Instance& instance = instances_[id];
  instance.comm = c.comm;
  instance.members = comm.is_inter() ? std::span<const std::int32_t>(unions_[c.comm])
                                     : std::span<const std::int32_t>(comm.members);
  const bool creates = operation_class(c.operation) == OperationClass::comm_create;
  if (comm.is_inter() && !creates) findings.add(kInterCollective);
  const auto present = collectives.members_of(c);
  bool first = true;
  for (const CollectiveMember& member : present) {
    const Call call = trace.calls(member.rank).action(member.enter);
    if (first) instance.call = as_collective(call);
    first = false;
    add_call(call, instance);
  }
  add_members(present, instance, findings);
}

/// The time of a collective's I/O excluding waiting: that of its shortest call.
void CollectiveIndex::add_io(const Trace& trace, std::span<const CollectiveMember> present,
                             Instance& instance) {
  instance.is_io = true;
  instance.io_ns = std::numeric_limits<std::int64_t>::max();
  for (const CollectiveMember& m : present) {
    const RankCalls& calls = trace.calls(m.rank);
    instance.io_ns = std::min(instance.io_ns, calls.end_ns(m.enter) - calls.begin_ns(m.enter));
  }
}

/// What a member's call tells, if it agrees with the first one about what it is.
void CollectiveIndex::add_call(const Call& call, Instance& instance) {
  const CollectiveCall mine = as_collective(call);
  CollectiveCall& agreed = instance.call;
  if (agreed.operation != mine.operation) return;
  agreed.bytes = std::max(agreed.bytes, mine.bytes);
  agreed.element_bytes = std::max(agreed.element_bytes, mine.element_bytes);
  if (call.peer >= 0) agreed.root = call.peer;  // a world rank until the members are known
  if (has_common_counts(agreed.operation) && call.args.size() == instance.members.size()) {
    agreed.counts = call.args;
  }
  if (has_own_counts(agreed.operation)) {
    instance.counts_unknown |= call.args.size() < 2 * instance.members.size();
    add_saturated(instance.sum_bytes, mine.bytes);
  }
}

/// Ranks that never came are left out.
void CollectiveIndex::add_members(std::span<const CollectiveMember> present, Instance& instance,
                                  Findings& findings) {
  if (present.size() < instance.members.size()) {
    for (const CollectiveMember& member : present) instance.own_members.push_back(member.rank);
    // They stand by world rank; members keep their communicator's order.
    std::ranges::sort(instance.own_members, {},
                      [&](std::int32_t rank) { return index_of(instance.members, rank); });
    instance.members = instance.own_members;
    instance.call.counts = {};
  }
  instance.call.size = static_cast<std::int32_t>(instance.members.size());
  instance.call.root = index_of(instance.members, instance.call.root);
  if (!instance.counts_unknown) return;
  // Those of an intercommunicator are known, but the model takes both groups for one.
  if (unions_[instance.comm].empty()) findings.add(kCountsUnknown);
  instance.call.bytes = instance.sum_bytes / instance.members.size();
}

CollectiveIndex::Instance own_view(const Call& call, std::span<const std::int32_t> members) {
  CollectiveIndex::Instance instance;
  instance.comm = call.comm;
  instance.members = members;
  instance.call = as_collective(call);
  instance.call.size = static_cast<std::int32_t>(members.size());
  instance.call.root = index_of(members, call.peer);
  if (has_common_counts(instance.call.operation) && call.args.size() == members.size()) {
    instance.call.counts = call.args;
  }
  if (has_own_counts(instance.call.operation) && !members.empty()) {
    instance.sum_bytes = call.bytes * members.size();
    instance.call.bytes = call.bytes;
  }
  return instance;
}

CollectiveCursor::Entered CollectiveCursor::enter(const CollectiveIndex& index,
                                                  std::int32_t world_rank, std::uint32_t comm) {
  const std::uint32_t sequence = sequence_.next(comm);
  const CollectiveIndex::Instance& instance = index.instance(comm, sequence);
  return {instance, sequence, rank_in(instance, world_rank)};
}

std::int32_t CollectiveCursor::rank_in(const CollectiveIndex::Instance& instance,
                                       std::int32_t world_rank) {
  const auto search = [&] {
    const auto found = std::ranges::find(instance.members, world_rank);
    return found == instance.members.end()
               ? -1
               : static_cast<std::int32_t>(found - instance.members.begin());
  };
  if (!instance.own_members.empty()) return search();
  if (instance.comm == kCommWorld) return world_rank;
  std::int32_t* known = rank_in_comm_.find(instance.comm);
  if (known == nullptr) {
    known = &rank_in_comm_[instance.comm];
    *known = search();
  }
  return *known;
}

OwnCounts own_counts(const CollectiveIndex::Instance& instance,
                     std::span<const std::int64_t> args) {
  const Operation operation = instance.call.operation;
  const bool own = has_own_counts(operation)
                       ? instance.own_members.empty() && args.size() == 2 * instance.members.size()
                       : is_neighbourhood(operation);
  return OwnCounts{own ? args : std::span<const std::int64_t>{}};
}

}  // namespace slackline
