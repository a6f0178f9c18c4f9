#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/communicator_plan.h"
#include "trace/trace.h"

namespace slackline {

/// The communicators of one rank under the numbers of its process, which order them as the trace
/// does, so that all ranks make those that are made before the start in the same order.
class RankCommunicators {
 public:
  /// All communicators that the rank is a member of.
  RankCommunicators(const Trace& trace, const CommunicatorPlan& plan, std::int32_t rank);

  /// Number in the process's table. Throws Error for one that the rank is not a member of.
  std::uint32_t index(std::uint32_t comm) const;
  bool knows(std::uint32_t comm) const { return comm < index_.size() && index_[comm] != kUnknown; }
  /// Without MPI_COMM_WORLD and MPI_COMM_SELF.
  std::uint32_t count() const { return static_cast<std::uint32_t>(mine_.size()); }
  /// The members' side that calls speak of: the other group of an intercommunicator.
  const std::vector<std::int32_t>& peers(std::uint32_t comm) const;
  const std::vector<std::int32_t>& own_group(std::uint32_t comm) const;
  bool is_inter(std::uint32_t comm) const;
  /// A world rank as calls on that communicator name it; negative ones stay as they are.
  std::int32_t rank_in(std::uint32_t comm, std::int32_t world) const;
  /// How many ranks calls on it speak of.
  std::uint64_t peer_count(std::uint32_t comm) const;
  /// As trace/replay_wire.h has them.
  void write(std::string& to) const;

 private:
  static constexpr std::uint32_t kUnknown = UINT32_MAX;
  const std::vector<std::int32_t>& side(std::uint32_t comm, bool own) const;

  const Trace& trace_;
  const CommunicatorPlan& plan_;
  std::int32_t rank_;
  std::vector<std::uint32_t> index_;
  std::vector<std::uint32_t> mine_;
  std::vector<std::int32_t> self_;
};

}  // namespace slackline
