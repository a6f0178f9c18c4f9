#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "calls/collective_calls.h"
#include "sim/engine/live_calls.h"
#include "trace/trace_builder.h"

namespace slackline::online {

/// What the members of a collective have handed over so far.
struct LiveCollective {
  std::uint32_t comm = 0;
  std::vector<std::uint64_t> blocks{};  ///< by rank in the communicator; 0: has not entered
  std::vector<std::int32_t> colors{};   ///< of MPI_Comm_split; < 0: takes no part
  std::vector<std::int32_t> keys{};
  std::vector<std::uint32_t> new_comms{};  ///< of makers, once all have entered
  std::uint64_t result = 0;                ///< block that one member computed for all
  std::int32_t entered = 0, left = 0;
};

/// The collectives of a running program: each member's way through those of its communicators, and
/// the data that they leave for each other. Cost: O(members) memory for each that is not over.
class LiveCollectives {
 public:
  /// The trace must outlive it, and gets the communicators that are made.
  explicit LiveCollectives(TraceBuilder& trace);

  /// The communicator of these members, which all of them make together without the others of
  /// `parent` (MPI_Comm_create_group): the same for all who name the same tag.
  std::uint32_t of_members(std::uint32_t parent, std::int32_t tag,
                           const std::vector<std::int64_t>& members);

  /// What a rank contributes to the collective that it enters next on the communicator of `call`.
  struct Contribution {
    std::uint64_t block = 0;
    std::int32_t color = 0;  ///< of makers of communicators
    std::int32_t key = 0;
  };
  /// The collective, which lives until all members have left it.
  LiveCollective& contribute(std::int32_t rank, const Call& call, const Contribution& contribution);
  /// How the engine sees it: as far as the rank's own call tells, valid until `context` enters its
  /// next one.
  CollectiveCursor::Entered view(std::uint32_t context, std::int32_t rank, const Call& call);

  /// World ranks of the communicator, in its order, as seen by `rank`.
  std::vector<std::int32_t> members(std::uint32_t comm, std::int32_t rank) const;

  /// How many members the communicator has; 0: there is none of that number.
  std::size_t size(std::uint32_t comm) const;
  bool is_member(std::uint32_t comm, std::int32_t rank) const;

  /// Whether `left` was the last member, whose blocks are then to be freed; forgets the collective
  /// when forget() is called with it.
  static bool all_left(const LiveCollective& collective) {
    return collective.left == static_cast<std::int32_t>(collective.blocks.size());
  }
  void forget(const LiveCollective& collective);

 private:
  /// What the engine refers to while a context is in a collective.
  struct View {
    std::vector<std::int32_t> members{};
    std::vector<std::int64_t> args{};
    CollectiveIndex::Instance instance{};
  };
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // communicator and sequence

  void make_communicators(LiveCollective& collective, std::int32_t any_member);

  /// One that is being made by its members: how many have entered.
  struct ByMembers {
    std::uint32_t comm = 0;
    std::size_t entered = 0;
  };
  using MembersKey = std::tuple<std::uint32_t, std::int32_t, std::vector<std::int64_t>>;

  TraceBuilder& trace_;
  std::map<MembersKey, ByMembers> by_members_;
  std::map<Key, std::unique_ptr<LiveCollective>> running_;
  std::vector<CollectiveSequence> contributed_;  // by rank
  std::vector<CollectiveSequence> viewed_;
  std::map<std::uint32_t, View> views_;  // by context
};

}  // namespace slackline::online
