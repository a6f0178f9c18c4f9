#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/collectives/choice.h"
#include "trace/communicator_makers.h"
#include "trace/trace.h"

namespace slackline {

/// All collective calls of a trace, put together over their ranks: the k-th call on a communicator
/// is one call for all its members. What one rank alone cannot know (the counts at the root, who
/// never came) is known here. Communicator creation counts as an allreduce of 8 bytes over those
/// who take part (trace/communicator_makers.h).
///
/// Cost: one pass over the calls; about 100 bytes a collective.
class CollectiveIndex {
 public:
  CollectiveIndex(const Trace& trace, const CollectiveChoice& choice, Findings& findings);

  struct Instance {
    CollectiveCall call;
    const CollectiveAlgorithm* algorithm = nullptr;
    std::uint32_t comm = 0;
    std::int32_t arrived = 0;
    /// Of alltoallv and alltoallw: whether some rank's counts are unknown, and all ranks' bytes.
    bool counts_unknown = false;
    std::uint64_t sum_bytes = 0;
    /// World ranks in communicator order, of those that took part; empty: all ranks of the world.
    std::span<const std::int32_t> members{};
    std::vector<std::int32_t> own_members{};  ///< owns `members` when some rank is missing
  };

  /// The `sequence`-th collective call on `comm`, from 0.
  const Instance& instance(std::uint32_t comm, std::uint32_t sequence) const {
    return per_comm_[comm][sequence];
  }

 private:
  void enter(const Trace& trace, std::int32_t rank, const Call& call, std::uint32_t sequence,
             Findings& findings);
  void leave_out_missing(Findings& findings);

  std::vector<std::vector<Instance>> per_comm_;
  struct Entered {
    std::int32_t rank;
    std::uint32_t calls;  // collectives of that communicator that this rank entered
  };
  std::vector<std::vector<std::int32_t>> unions_;  // members of intercommunicators, both sides
  std::vector<std::vector<Entered>> entered_;
};

/// Does an operation name its peers itself, whatever the algorithm?
constexpr bool is_neighbourhood(Operation operation) {
  return operation >= Operation::neighbor_allgather && operation <= Operation::neighbor_alltoallw;
}

/// Is an operation performed by all members of a communicator together?
bool has_collective_class(Operation operation);
/// Does this call take part in a collective of collective_comm(call)?
bool is_collective(const Call& call);

/// Calls visit(call, sequence) for those of a rank's calls that do: `sequence` counts the ones
/// before it on the same communicator, as CollectiveIndex::instance() does.
template <class Visit>
void for_each_collective(const Trace& trace, std::int32_t rank, Visit visit) {
  std::vector<std::uint32_t> sequence(trace.communicators().size());
  const RankCalls& calls = trace.calls(rank);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!has_collective_class(calls.operation(i))) continue;
    const Call call = calls[i];
    if (!is_collective(call)) continue;
    const std::uint32_t comm = collective_comm(call);
    if (comm < sequence.size()) visit(call, sequence[comm]++);
  }
}

}  // namespace slackline
