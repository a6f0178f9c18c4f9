#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "graph/collective_index.h"
#include "sim/platform/platform.h"

namespace slackline::sim {

/// What collective algorithms for SMP nodes know of each communicator: which of its ranks share a
/// host, and whether they have found out yet.
class CollectiveNodes {
 public:
  explicit CollectiveNodes(const std::vector<HostId>& hosts) : hosts_(hosts) {}

  /// The host of every member; empty when each has one of its own. Valid until the next call.
  std::span<const std::int32_t> of(const CollectiveIndex::Instance& instance);

  /// The communicator finds out in this call. All ranks say so.
  void set_up(std::uint32_t comm, std::uint32_t sequence);
  /// An earlier call of the communicator has found out.
  bool known(std::uint32_t comm, std::uint32_t sequence) const;

 private:
  std::vector<std::int32_t> nodes_of(const CollectiveIndex::Instance& instance) const;

  const std::vector<HostId>& hosts_;
  std::map<std::uint32_t, std::vector<std::int32_t>> by_comm_;
  std::map<std::uint32_t, std::uint32_t> set_up_;
  std::vector<std::int32_t> scratch_;
};

}  // namespace slackline::sim
