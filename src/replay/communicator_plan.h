#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// The neighbours of one rank in a communicator with a topology, as ranks in it.
struct ReplayTopology {
  std::vector<std::int32_t> out;
  std::vector<std::int32_t> in;
};

/// How the communicators of a trace are made again. A trace has their members and not how they came
/// about: splits get the members' communicator as their colour, and topologies the neighbours that
/// neighbourhood collectives name.
class CommunicatorPlan {
 public:
  /// Linear in calls.
  CommunicatorPlan(const Trace& trace, const CallMatching& matching);

  /// Not every member has a call that makes it, so that it has to be there before the start.
  bool is_premade(std::uint32_t comm) const { return premade_[comm]; }
  bool has_topology(std::uint32_t comm) const { return topology_[comm]; }
  /// Null if the rank never names its neighbours.
  const ReplayTopology* topology(std::uint32_t comm, std::int32_t rank) const;

  /// What a call makes for any of those who make it together.
  struct Made {
    bool topology = false;            ///< one of the communicators has a topology
    std::uint32_t first_members = 0;  ///< one communicator, of this many of the parent's first
    bool all = true;                  ///< one communicator of all members of the parent
  };
  /// For a call of OperationClass::comm_create.
  const Made& made(std::int32_t rank, CallIndex call) const;

 private:
  void count_makers(const Trace& trace);
  void find_topologies(const Trace& trace);
  void compare_with_parents(const Trace& trace, const CallMatching& matching);
  Made of_collective(const Trace& trace, const CallMatching& matching,
                     const CollectiveInstance& c) const;

  std::vector<bool> premade_;
  std::vector<bool> topology_;
  std::map<std::pair<std::uint32_t, std::int32_t>, ReplayTopology> topologies_;
  std::map<std::pair<std::int32_t, CallIndex>, Made> made_;
  Made unknown_{.topology = false, .first_members = 0, .all = false};
};

}  // namespace slackline
