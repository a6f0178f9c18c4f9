#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "graph/collective_index.h"
#include "sim/platform/platform.h"

namespace slackline::sim {

/// What collective algorithms for SMP nodes know of each communicator: which of its ranks share a
/// host, and which parts of that earlier calls have already exchanged (their first use costs
/// messages: SimGrid 4.1, src/smpi/mpi/smpi_comm.cpp, init_smp).
class CollectiveNodes {
 public:
  explicit CollectiveNodes(const std::vector<HostId>& hosts) : hosts_(hosts) {}

  /// The host of every member; empty when no two members share one. Valid until the next call.
  std::span<const std::int32_t> of(const CollectiveIndex::Instance& instance);

  /// What earlier calls on the communicator have found out.
  NodeKnowledge known(std::uint32_t comm, std::uint32_t sequence) const;
  /// What is known at the end of this call; every rank of the call adds it.
  void add(std::uint32_t comm, std::uint32_t sequence, const NodeKnowledge& knowledge);

 private:
  std::vector<std::int32_t> nodes_of(const CollectiveIndex::Instance& instance) const;

  const std::vector<HostId>& hosts_;
  std::map<std::uint32_t, std::vector<std::int32_t>> by_comm_;
  struct Found {
    std::uint32_t sequence;  ///< of the call
    std::uint64_t parts;     ///< as in NodeKnowledge
  };
  std::map<std::uint32_t, std::vector<Found>> found_;  // by communicator
  std::vector<std::int32_t> scratch_;
};

}  // namespace slackline::sim
