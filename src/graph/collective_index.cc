#include "graph/collective_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "calls/findings.h"

namespace slackline {
namespace {

constexpr FindingKind kCountsUnknown{
    "alltoallv_counts_unknown", Severity::notice,
    "MPI_Alltoallv or MPI_Alltoallw of which the trace tells only how much each rank sends in all: "
    "models spread the ranks' mean evenly over all pairs."};
constexpr FindingKind kInterCollective{
    "intercommunicator_collective", Severity::notice,
    "Collectives of intercommunicators are modelled as one over both groups together."};

constexpr std::uint64_t kCommCreateBytes = 8;  // agreeing on a context id

CollectiveCall as_collective(const Call& call) {
  CollectiveCall c;
  c.single_waits = true;
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

std::int32_t index_of(std::span<const std::int32_t> members, std::int32_t rank) {
  const auto found = std::ranges::find(members, rank);
  return found == members.end() ? 0 : static_cast<std::int32_t>(found - members.begin());
}

}  // namespace

bool has_collective_class(Operation operation) {
  switch (operation_class(operation)) {
    case OperationClass::collective:
    case OperationClass::icollective:
    case OperationClass::comm_create:
      return true;
    default:
      return false;
  }
}

bool is_collective(const Call& call) {
  if (!has_collective_class(call.operation)) return false;
  const std::uint32_t comm = collective_comm(call);
  return comm != kCommNull && comm != kCommSelf;
}

CollectiveIndex::CollectiveIndex(const Trace& trace, const CollectiveChoice& choice,
                                 Findings& findings)
    : per_comm_(trace.communicators().size()),
      unions_(trace.communicators().size()),
      entered_(trace.communicators().size()) {
  for (std::uint32_t comm = 0; comm < per_comm_.size(); ++comm) {
    const Communicator& c = trace.communicators()[comm];
    if (!c.is_inter()) continue;
    unions_[comm] = c.members;
    unions_[comm].insert(unions_[comm].end(), c.remote.begin(), c.remote.end());
    std::ranges::sort(unions_[comm]);
  }
  std::vector<std::uint32_t> entered(per_comm_.size());
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    std::ranges::fill(entered, 0u);
    for_each_collective(trace, rank, [&](const Call& call, std::uint32_t sequence) {
      enter(trace, rank, call, sequence, findings);
      entered[collective_comm(call)] = sequence + 1;
    });
    for (std::uint32_t comm = 0; comm < entered.size(); ++comm) {
      if (entered[comm] > 0) entered_[comm].push_back({rank, entered[comm]});
    }
  }
  leave_out_missing(findings);
  for (auto& instances : per_comm_) {
    for (Instance& instance : instances) {
      instance.algorithm = &choice.algorithm(instance.call);
    }
  }
}

void CollectiveIndex::enter(const Trace& trace, std::int32_t rank, const Call& call,
                            std::uint32_t sequence, Findings& findings) {
  const std::uint32_t id = collective_comm(call);
  auto& instances = per_comm_[id];
  CollectiveCall mine = as_collective(call);
  if (sequence == instances.size()) {
    const Communicator& comm = trace.communicators()[id];
    Instance fresh;
    fresh.comm = id;
    fresh.members = comm.is_inter() ? std::span<const std::int32_t>(unions_[id])
                                    : std::span<const std::int32_t>(comm.members);
    fresh.call = mine;
    const bool creates = operation_class(call.operation) == OperationClass::comm_create;
    if (comm.is_inter() && !creates) findings.add(kInterCollective);
    instances.push_back(std::move(fresh));
  }
  Instance& instance = instances[sequence];
  ++instance.arrived;
  if (instance.call.operation != mine.operation) {
    findings.add(kCollectiveMismatch,
                 fmt::format("rank {}: {}, others {}", rank, identifier(mine.operation),
                             identifier(instance.call.operation)));
    return;
  }
  CollectiveCall& agreed = instance.call;
  agreed.bytes = std::max(agreed.bytes, mine.bytes);
  agreed.element_bytes = std::max(agreed.element_bytes, mine.element_bytes);
  if (call.peer >= 0) agreed.root = call.peer;  // a world rank until everybody is counted
  if (has_common_counts(agreed.operation) && call.args.size() == instance.members.size()) {
    agreed.counts = call.args;
  }
  if (has_own_counts(agreed.operation)) {
    instance.counts_unknown |= call.args.size() < 2 * instance.members.size();
    instance.sum_bytes += mine.bytes;
  }
}

void CollectiveIndex::leave_out_missing(Findings& findings) {
  for (std::uint32_t comm = 0; comm < per_comm_.size(); ++comm) {
    auto& instances = per_comm_[comm];
    for (std::size_t k = 0; k < instances.size(); ++k) {
      Instance& instance = instances[k];
      if (static_cast<std::size_t>(instance.arrived) < instance.members.size()) {
        findings.add(kCollectiveIncomplete,
                     fmt::format("{} on {}: {} of {} ranks", identifier(instance.call.operation),
                                 comm, instance.arrived, instance.members.size()));
        for (const Entered& e : entered_[comm]) {
          if (e.calls > k) instance.own_members.push_back(e.rank);
        }
        // entered_ is by world rank; members keep their communicator's order.
        std::ranges::sort(instance.own_members, {},
                          [&](std::int32_t rank) { return index_of(instance.members, rank); });
        instance.members = instance.own_members;
        instance.call.counts = {};
      }
      instance.call.size = static_cast<std::int32_t>(instance.members.size());
      instance.call.root = index_of(instance.members, instance.call.root);
      if (instance.counts_unknown) {
        findings.add(kCountsUnknown);
        instance.call.bytes = instance.sum_bytes / instance.members.size();
      }
    }
  }
}

}  // namespace slackline
