#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "calls/call_paths.h"
#include "calls/computation_code.h"
#include "graph/execution_graph.h"
#include "timing/cost/linear_cost.h"
#include "timing/group_speedup.h"
#include "trace/trace.h"

namespace slackline {

/// What gain curves are asked for: a name and whose costs change.
struct GainTarget {
  std::string name;
  std::string kind;  ///< "computation", "region", "function", "call-path", "rank", "operation",
                     ///< "network"
  CostGroup group{};
};

/// Everything that a run's costs belong to, each cost to one of them.
struct CostLabel {
  std::string name;
  std::string kind;  ///< "region", "function", "operation"; "rank"
};

/// Owners of the costs of a program's edges: of computation one for each rank, call path of regions
/// and function, of communication one for each operation and parameter (L, o, G) of the model.
///
/// A message's costs belong to the call that completes with them: its latency and its bytes to the
/// receive or wait, the sender's overhead to the send.
class GainOwners {
 public:
  /// Refers to all but `trace`'s calls for as long as attribute() is used; linear in calls.
  GainOwners(const Trace& trace, const ExecutionGraph& graph, const CallPaths& paths,
             const ComputationCode& code);

  /// The graph with its costs kept apart. Ticks are of `tick_fs`; exact when it divides all costs.
  AttributedGraph attribute(const LinearCost& cost, std::int64_t tick_fs);
  /// Ticks of each owner over all edges, by OwnerKind; known after attribute().
  const std::array<std::vector<std::int64_t>, 2>& ticks() const { return ticks_; }

  /// All computation, each region and each function of some length with what it calls, call paths
  /// if asked for, ranks, operations and parameters of the network; without those that have no
  /// costs.
  std::vector<GainTarget> targets(bool call_paths) const;

  /// Functions and operations, or ranks: of each owner its label, by OwnerKind.
  std::vector<CostLabel> labels{};
  std::array<std::vector<std::uint32_t>, 2> label_of{};
  std::vector<std::uint32_t> rank_label_of{};  ///< of each owner of computation

 private:
  struct ComputationOwner {
    std::int32_t rank;
    PathId path;
    FrameId frame;
  };
  std::uint32_t owner_of(const ComputationOwner& owner);
  void make_labels();
  std::vector<std::string> long_functions() const;
  /// Puts every owner of computation into the groups that groups_of(owner, put) names, linear in
  /// these.
  template <class GroupsOf>
  std::vector<CostGroup> groups(std::size_t count, GroupsOf groups_of) const;
  static void add(std::vector<GainTarget>& all, std::string name, std::string kind,
                  CostGroup group);
  void add_regions(std::vector<GainTarget>& all) const;
  void add_functions(std::vector<GainTarget>& all) const;
  void add_call_paths(std::vector<GainTarget>& all) const;
  void add_ranks(std::vector<GainTarget>& all) const;
  void add_communication(std::vector<GainTarget>& all) const;

  const Trace& trace_;
  const ExecutionGraph& graph_;
  const CallPaths& paths_;
  const ComputationCode& code_;
  std::map<std::tuple<std::int32_t, PathId, FrameId>, std::uint32_t> known_;
  std::vector<ComputationOwner> computation_;
  std::uint32_t last_ = 0;  ///< asked for
  std::array<std::vector<std::int64_t>, 2> ticks_{};
};

}  // namespace slackline
