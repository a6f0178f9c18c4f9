#include "calls/replay.h"

#include <algorithm>
#include <limits>

#include "calls/collective_scope.h"

namespace slackline {
namespace {

/// Does `who` get a part of the result from which nothing of `whom` can be missing? Both take part
/// in one collective of one group, or are in the two groups of an intercommunicator.
bool needs_data_of(const Trace& trace, const CollectiveInstance& c, const CollectiveMember& who,
                   const CollectiveMember& whom) {
  const auto bytes = [&](const CollectiveMember& m) { return trace.calls(m.rank).bytes(m.enter); };
  switch (c.operation) {
    case Operation::barrier:
      return true;
    case Operation::scatterv:
    case Operation::reduce_scatter:
      return bytes(who) > 0;
    case Operation::allgatherv:
    case Operation::gatherv:
      return bytes(whom) > 0;
    case Operation::alltoallv:
    case Operation::alltoallw: {
      // What is sent to each, then what is received from each.
      const auto counts = trace.calls(who.rank).args(who.enter);
      const std::size_t from = counts.size() / 2 + whom.place;
      return from < counts.size() ? counts[from] > 0 : bytes(whom) > 0;
    }
    default:
      return whom.moves != 0;
  }
}

/// Whether `who` cannot leave before `whom` has come.
bool waits_for(const Trace& trace, const CollectiveInstance& c, CollectiveRule rule,
               const CollectiveMember& who, const CollectiveMember& whom) {
  switch (rule) {
    case CollectiveRule::none:
    case CollectiveRule::neighbours:
      return false;
    case CollectiveRule::all_wait:
      return true;
    case CollectiveRule::root_waits:
      return who.rank == c.root;
    case CollectiveRule::wait_for_root:
      return whom.rank == c.root;
    case CollectiveRule::prefix:
      return whom.place <= who.place;
    case CollectiveRule::by_pair:
      // Between two groups, each gets what the other one gives.
      if (trace.communicators()[c.comm].is_inter() && who.remote == whom.remote) return false;
      return waits_for(trace, c, rule_by_operation(c.operation), who, whom) &&
             needs_data_of(trace, c, who, whom);
  }
  return false;
}

}  // namespace

CollectiveRule rule_by_operation(Operation blocking_operation) {
  switch (blocking_operation) {
    case Operation::bcast:
    case Operation::scatter:
    case Operation::scatterv:
      return CollectiveRule::wait_for_root;
    case Operation::reduce:
    case Operation::gather:
    case Operation::gatherv:
      return CollectiveRule::root_waits;
    case Operation::scan:
    case Operation::exscan:
      return CollectiveRule::prefix;
    case Operation::neighbor_allgather:
    case Operation::neighbor_allgatherv:
    case Operation::neighbor_alltoall:
    case Operation::neighbor_alltoallv:
    case Operation::neighbor_alltoallw:
      return CollectiveRule::neighbours;
    case Operation::finalize:
      return CollectiveRule::none;
    default:
      return CollectiveRule::all_wait;
  }
}

CollectiveRule rule_by_data(const CollectiveInstance& c) {
  return c.selective ? CollectiveRule::by_pair : rule_by_operation(c.operation);
}

std::vector<bool> not_synchronising(const Trace& trace, const CallMatching& matching) {
  std::vector<bool> found(matching.collectives().size(), false);
  for (std::size_t id = 0; id < found.size(); ++id) {
    const CollectiveInstance& c = matching.collective(static_cast<std::uint32_t>(id));
    const CollectiveScope scope = collective_scope(c.operation);
    if (scope == CollectiveScope::none || scope == CollectiveScope::communicator) continue;
    std::int64_t last_enter = std::numeric_limits<std::int64_t>::min();
    std::int64_t first_leave = std::numeric_limits<std::int64_t>::max();
    for (const CollectiveMember& m : matching.members(c)) {
      last_enter = std::max(last_enter, trace.calls(m.rank).begin_ns(m.enter));
      first_leave = std::min(first_leave, trace.calls(m.rank).end_ns(m.enter));
    }
    found[id] = first_leave < last_enter;
  }
  return found;
}

NeededMembers::NeededMembers(const Trace& trace, const CallMatching& matching,
                             const CollectiveInstance& c, CollectiveRule rule,
                             const CollectiveMember& who)
    : trace_(trace),
      matching_(matching),
      collective_(c),
      rule_(rule),
      who_(who),
      in_(Neighbourhood(trace.calls(who.rank).args(who.enter)).in()),
      size_(rule == CollectiveRule::neighbours ? in_.size() : matching.members(c).size()) {}

const CollectiveMember* NeededMembers::operator[](std::size_t i) const {
  if (rule_ != CollectiveRule::neighbours) {
    const CollectiveMember& m = matching_.members(collective_)[i];
    return waits_for(trace_, collective_, rule_, who_, m) ? &m : nullptr;
  }
  const auto [rank, bytes] = in_[i];
  if (rank < 0 || rank >= trace_.ranks() || bytes <= 0) return nullptr;
  return matching_.member(collective_, static_cast<std::int32_t>(rank));
}

}  // namespace slackline
