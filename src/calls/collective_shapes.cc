#include "calls/collective_shapes.h"

#include <algorithm>

namespace slackline {
namespace {

CollectiveShape shape_of(Operation operation) {
  switch (operation) {
    case Operation::barrier:
    case Operation::allreduce:
    case Operation::allgather:
    case Operation::allgatherv:
    case Operation::alltoall:
    case Operation::alltoallv:
    case Operation::alltoallw:
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return CollectiveShape::all_to_all;
    case Operation::bcast:
    case Operation::scatter:
    case Operation::scatterv:
      return CollectiveShape::root_to_all;
    case Operation::reduce:
    case Operation::gather:
    case Operation::gatherv:
      return CollectiveShape::all_to_root;
    default:
      return CollectiveShape::none;
  }
}

CollectiveShape shape_of(const Trace& trace, const CallMatching& matching,
                         const CollectiveInstance& c) {
  const auto members = matching.members(c);
  if (members.empty() || c.selective) return CollectiveShape::none;
  const auto root_of = [&](const CollectiveMember& m) { return trace.calls(m.rank).peer(m.enter); };
  const bool agreed = std::ranges::all_of(members, [&](const CollectiveMember& m) {
    return trace.calls(m.rank).operation(m.enter) == c.operation &&
           root_of(m) == root_of(members.front());
  });
  return agreed ? shape_of(c.operation) : CollectiveShape::none;
}

}  // namespace

std::vector<CollectiveShape> collective_shapes(const Trace& trace, const CallMatching& matching) {
  std::vector<CollectiveShape> shapes;
  shapes.reserve(matching.collectives().size());
  for (const CollectiveInstance& c : matching.collectives()) {
    shapes.push_back(shape_of(trace, matching, c));
  }
  return shapes;
}

}  // namespace slackline
