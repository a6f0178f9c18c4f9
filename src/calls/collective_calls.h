#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/findings.h"
#include "base/flat_map.h"
#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// Counts the collective calls of one rank, in the order of its program: the k-th ones of all
/// members of a communicator are one collective.
class CollectiveSequence {
 public:
  /// How many the rank has entered on `comm` before the one that it enters now.
  std::uint32_t next(std::uint32_t comm) { return entered_[comm]++; }
  /// Another rank's.
  void restart() { entered_.clear(); }

 private:
  struct CommHash {
    std::uint64_t operator()(std::uint32_t comm) const { return mix_bits(comm); }
  };
  FlatMap<std::uint32_t, std::uint32_t, CommHash> entered_;
};

/// Which calls are one collective: the k-th on a communicator of all its members, each scope
/// (collective_scope.h) counted by itself. MPI_Init and MPI_Finalize of all ranks are one each,
/// too.
struct CollectiveCalls {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Part {
    std::uint32_t id;      ///< kNone: takes part in nothing
    std::uint32_t member;  ///< index into `members`
  };
  std::vector<CollectiveInstance> instances;  ///< those of one communicator in their order
  std::vector<CollectiveMember> members;
  /// In the order of ranks.
  std::span<const CollectiveMember> members_of(const CollectiveInstance& c) const {
    return {members.data() + c.first_member, c.member_count};
  }
  /// By rank: its calls for which joins_collective() holds, in program order.
  std::vector<std::vector<Part>> of_rank;
  Findings findings;              ///< of collectives on communicators
  Findings environment_findings;  ///< of MPI_Init and MPI_Finalize
};

/// Which calls at windows and files belong to which collective (CollectiveCalls::instances).
class ObjectCollectives {
 public:
  /// Linear; 8 bytes a call.
  explicit ObjectCollectives(const CollectiveCalls& collectives);
  /// CollectiveCalls::kNone: to none. Logarithmic in those of the rank.
  std::uint32_t of(std::int32_t rank, CallIndex call) const;

 private:
  struct Entry {
    CallIndex call;
    std::uint32_t id;
  };
  std::vector<std::vector<Entry>> by_rank_;
};

/// Is the operation one of these?
bool joins_collective(Operation operation);

/// Linear.
CollectiveCalls assemble_collectives(const Trace& trace);

}  // namespace slackline
