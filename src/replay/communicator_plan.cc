#include "replay/communicator_plan.h"

#include <algorithm>

#include "calls/neighbourhood.h"
#include "trace/communicator_makers.h"
#include "trace/operation_kinds.h"

namespace slackline {
namespace {

constexpr std::uint32_t kFirstMade = 2;  // after MPI_COMM_WORLD and MPI_COMM_SELF

/// Their ranks in the communicator; those of MPI_PROC_NULL are left out.
std::vector<std::int32_t> ranks_of(const Neighbourhood::List& neighbours, const Trace& trace,
                                   std::uint32_t comm) {
  std::vector<std::int32_t> ranks;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    const auto world = static_cast<std::int32_t>(neighbours[i].rank);
    if (world >= 0) ranks.push_back(trace.rank_in(comm, world));
  }
  return ranks;
}

}  // namespace

CommunicatorPlan::CommunicatorPlan(const Trace& trace, const CallMatching& matching)
    : premade_(trace.communicators().size(), false), topology_(trace.communicators().size()) {
  count_makers(trace);
  find_topologies(trace);
  compare_with_parents(trace, matching);
}

void CommunicatorPlan::count_makers(const Trace& trace) {
  std::vector<std::uint64_t> makers(trace.communicators().size());
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (operation_class(calls.operation(i)) != OperationClass::comm_create) continue;
      const std::uint32_t made = made_communicator(calls.action(i));
      if (made < makers.size()) ++makers[made];
    }
  }
  for (std::uint32_t c = kFirstMade; c < makers.size(); ++c) {
    const Communicator& comm = trace.communicators()[c];
    premade_[c] = makers[c] != comm.members.size() + comm.remote.size();
  }
}

void CommunicatorPlan::find_topologies(const Trace& trace) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!is_neighbourhood(calls.operation(i))) continue;
      const Call call = calls.action(i);
      if (call.comm >= topology_.size() || topologies_.contains({call.comm, r})) continue;
      topology_[call.comm] = true;
      const Neighbourhood neighbours(call.args);
      topologies_[{call.comm, r}] = {ranks_of(neighbours.out(), trace, call.comm),
                                     ranks_of(neighbours.in(), trace, call.comm)};
    }
  }
}

CommunicatorPlan::Made CommunicatorPlan::of_collective(const Trace& trace,
                                                       const CallMatching& matching,
                                                       const CollectiveInstance& c) const {
  Made made;
  const std::vector<std::int32_t>& parent = trace.communicators()[c.comm].members;
  std::uint32_t one = kCommNull;
  bool single = true;
  for (const CollectiveMember& member : matching.members(c)) {
    const std::uint32_t comm = made_communicator(trace.calls(member.rank).action(member.enter));
    if (comm >= topology_.size()) {
      made.all = false;
      continue;
    }
    single = single && (one == kCommNull || one == comm);
    one = comm;
    made.topology = made.topology || topology_[comm];
    made.all = made.all && trace.communicators()[comm].members == parent;
  }
  if (one == kCommNull || !single) return made;
  const auto& members = trace.communicators()[one].members;
  const bool first =
      members.size() <= parent.size() && std::equal(members.begin(), members.end(), parent.begin());
  if (first) made.first_members = static_cast<std::uint32_t>(members.size());
  return made;
}

void CommunicatorPlan::compare_with_parents(const Trace& trace, const CallMatching& matching) {
  for (const CollectiveInstance& c : matching.collectives()) {
    if (operation_class(c.operation) != OperationClass::comm_create) continue;
    const Made made = of_collective(trace, matching, c);
    for (const CollectiveMember& member : matching.members(c)) {
      made_[{member.rank, member.enter}] = made;
    }
  }
}

const CommunicatorPlan::Made& CommunicatorPlan::made(std::int32_t rank, CallIndex call) const {
  const auto found = made_.find({rank, call});
  return found == made_.end() ? unknown_ : found->second;
}

const ReplayTopology* CommunicatorPlan::topology(std::uint32_t comm, std::int32_t rank) const {
  const auto found = topologies_.find({comm, rank});
  return found == topologies_.end() ? nullptr : &found->second;
}

}  // namespace slackline
