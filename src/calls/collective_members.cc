#include "calls/collective_members.h"

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

CollectiveTimes collective_times(const Trace& trace, const CallMatching& matching,
                                 const CollectiveInstance& collective) {
  CollectiveTimes times;
  bool ended = true;
  std::int64_t last_end = -kTimeLimit_ns;
  for (const CollectiveMember& member : matching.members(collective)) {
    const RankCalls& calls = trace.calls(member.rank);
    const std::int64_t begin = calls.begin_ns(member.enter);
    const bool first = times.last_rank < 0;
    times.first_begin_ns = first ? begin : std::min(times.first_begin_ns, begin);
    if (first || begin > times.last_begin_ns) {
      times.last_begin_ns = begin;
      times.last_rank = member.rank;
    }
    ended = ended && member.done != kNoCall;
    if (member.done != kNoCall) last_end = std::max(last_end, calls.end_ns(member.done));
  }
  if (ended && times.last_rank >= 0) times.last_end_ns = last_end;
  return times;
}

}  // namespace slackline
