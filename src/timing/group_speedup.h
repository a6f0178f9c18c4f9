#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "timing/cost/ticks.h"
#include "timing/passes/group_kernel.h"
#include "timing/reduction/attributed_graph.h"

namespace slackline {

/// Owners of one kind whose costs change together.
struct CostGroup {
  OwnerKind kind = OwnerKind::computation;
  std::vector<std::uint32_t> owners{};
};

/// A path when a group's costs are as they are: its length, and the group's part. At a reduction y
/// of the group's costs the path takes ticks - y * group_ticks.
struct GroupPath {
  std::int64_t ticks = 0;
  std::int64_t group_ticks = 0;

  bool operator==(const GroupPath&) const = default;
};

/// Ticks by owner, by OwnerKind: what a path consists of. What has no owner is missing.
using PathComposition = std::array<std::vector<std::int64_t>, 2>;

/// The longest paths when the costs of one of up to eight groups of one kind are reduced by a share
/// of them.
///
/// T as a function of the share that remains is the maximum of one line a path, so it is convex,
/// piecewise linear and nondecreasing, and exact here: whole ticks, rational shares. A pass costs
/// O(nodes + edges + parts) of the reduced graph and answers for all groups.
class GroupSpeedup {
 public:
  static constexpr std::size_t kMost = passes::kLanes;

  /// What is asked for each group. Numerator and denominator are below 2^53; 0 to 1.
  using Reductions = std::array<Ticks, kMost>;
  using Paths = std::array<GroupPath, kMost>;

  /// Refers to `graph`, whose most_ticks must be below 2^53. O(edges + the groups' parts).
  GroupSpeedup(const AttributedGraph& graph, std::span<const CostGroup> groups);

  /// Where several paths are equally long: the one with most of the group in it (Side::left: what a
  /// little less reduction changes) or least (right: what a little more does).
  Paths paths_at(const Reductions& reductions, Side side) const;
  /// The same, with what each path consists of. O(edges of the paths and their parts), more.
  Paths paths_at(const Reductions& reductions, Side side,
                 std::array<PathComposition, kMost>& compositions) const;
  /// T at the same reduction of all groups, in ticks times its denominator. A third of the time.
  std::array<Int128, kMost> lengths_at(const Ticks& reduction) const;

 private:
  passes::GroupLanes lanes(const Reductions& reductions, Side side) const;
  Paths run(const passes::GroupLanes& lanes, std::uint32_t* decided) const;
  PathComposition composition(const std::uint32_t* decided, std::size_t lane) const;
  void add_parts(std::span<const CostGroup> groups);
  passes::GroupProgram program() const {
    return {graph_.nodes.data(), graph_.nodes.size(), edges_.data(), parts_.data()};
  }

  const AttributedGraph& graph_;
  std::size_t count_;
  std::vector<passes::GroupEdge> edges_;
  std::vector<passes::GroupPart> parts_;
};

}  // namespace slackline
