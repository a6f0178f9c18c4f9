#include "calls/replay.h"

namespace slackline {

CollectiveRule rule_by_data(Operation blocking_operation) {
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
    case Operation::finalize:
      return CollectiveRule::none;
    default:
      return CollectiveRule::all_wait;
  }
}

bool waits_for(const Trace& trace, const CollectiveInstance& c, CollectiveRule rule,
               const CollectiveMember& who, const CollectiveMember& whom) {
  switch (rule) {
    case CollectiveRule::none:
      return false;
    case CollectiveRule::all_wait:
      return true;
    case CollectiveRule::root_waits:
      return who.rank == c.root;
    case CollectiveRule::wait_for_root:
      return whom.rank == c.root;
    case CollectiveRule::prefix:
      return trace.rank_in(c.comm, whom.rank) <= trace.rank_in(c.comm, who.rank);
  }
  return false;
}

}  // namespace slackline
