#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/findings.h"
#include "base/flat_map.h"
#include "calls/collective_calls.h"
#include "calls/run_part.h"
#include "graph/collectives/choice.h"
#include "trace/communicator_makers.h"
#include "trace/trace.h"

namespace slackline {

inline constexpr FindingKind kAlgorithmReplaced{
    "collective_algorithm_replaced", Severity::notice,
    "An algorithm of --collectives does not apply to these calls (too few elements, or a number of "
    "ranks that it is not made for); the model uses another one for them."};

/// The collectives of a trace as their algorithms see them, and which algorithm performs each. What
/// one rank alone cannot know (the counts at the root, who never came) is known here. Communicator
/// creation counts as an allreduce of 8 bytes over those who take part
/// (trace/communicator_makers.h). What the members of a window or a file do together counts as a
/// barrier. Which calls are one collective is told by collective_calls.h.
///
/// Cost: one pass over the collective calls; about 100 bytes a collective.
class CollectiveIndex {
 public:
  /// Adds the findings of `collectives`, and its own, of what counts in that part of the run.
  CollectiveIndex(const Trace& trace, const CollectiveCalls& collectives,
                  const CollectiveChoice& choice, Findings& findings, const RunPart& part = {});

  struct Instance {
    CollectiveCall call;
    const CollectiveAlgorithm* algorithm = nullptr;
    std::uint32_t comm = 0;
    /// MPI_Alltoallv and MPI_Alltoallw: are some rank's counts unknown, and the sum over all ranks.
    bool counts_unknown = false;
    std::uint64_t sum_bytes = 0;
    /// World ranks in communicator order, of those that took part; empty: all ranks of the world.
    std::span<const std::int32_t> members{};
    std::vector<std::int32_t> own_members{};  ///< owns `members` when some rank is missing
    /// MPI-IO. Its messages are free: `io_ns` is what the call took of the rank that came last,
    /// which is no waiting, and contains them. An untimed trace has it if it was made of a timed
    /// one.
    bool is_io = false;
    std::int64_t io_ns = 0;
  };

  /// The `sequence`-th collective call on `comm`, from 0.
  const Instance& instance(std::uint32_t comm, std::uint32_t sequence) const {
    return instances_[per_comm_[comm][sequence]];
  }
  /// That of CollectiveCalls::instances[id], which is no MPI_Init or MPI_Finalize.
  const Instance& instance(std::uint32_t id) const { return instances_[id]; }

 private:
  void add(const Trace& trace, const CollectiveCalls& collectives, std::uint32_t id,
           Findings& findings);
  void add_call(const Call& call, Instance& instance);
  static void add_io(const Trace& trace, std::span<const CollectiveMember> present,
                     Instance& instance);
  void add_members(std::span<const CollectiveMember> present, Instance& instance,
                   Findings& findings);

  std::vector<Instance> instances_;                   // as in CollectiveCalls
  std::vector<std::vector<std::uint32_t>> per_comm_;  // of these
  std::vector<std::vector<std::int32_t>> unions_;     // members of intercommunicators, both sides
};

/// A collective as one of its members knows it by its own call: the others' counts are missing.
/// `members` (world ranks in communicator order) and the call's arguments must outlive it.
CollectiveIndex::Instance own_view(const Call& call, std::span<const std::int32_t> members);

/// One rank's way through its collectives.
class CollectiveCursor {
 public:
  struct Entered {
    const CollectiveIndex::Instance& instance;
    std::uint32_t sequence;  ///< on its communicator
    std::int32_t rank;  ///< of the one who enters, among the instance's members; -1: none of them
  };
  /// The collective that `world_rank`, whose cursor this is, enters with its next call on `comm`.
  Entered enter(const CollectiveIndex& index, std::int32_t world_rank, std::uint32_t comm);
  /// Its rank among the members of any collective; -1: none of them.
  std::int32_t rank_in(const CollectiveIndex::Instance& instance, std::int32_t world_rank);

 private:
  struct CommHash {
    std::uint64_t operator()(std::uint32_t comm) const { return mix_bits(comm); }
  };
  CollectiveSequence sequence_;
  FlatMap<std::uint32_t, std::int32_t, CommHash> rank_in_comm_;
};

/// What only the rank itself exchanges with each member, if its call's arguments tell.
OwnCounts own_counts(const CollectiveIndex::Instance& instance, std::span<const std::int64_t> args);

}  // namespace slackline
