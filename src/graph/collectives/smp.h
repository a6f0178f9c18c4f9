#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/collectives/step_writer.h"

namespace slackline::collectives {

/// How the ranks of a communicator lie on nodes, as one rank sees it: its own node's ranks and
/// every node's first rank, the leader.
class NodeLayout {
 public:
  explicit NodeLayout(const StepWriter& w);

  /// Ranks of the own node, ascending; the first is the leader.
  std::span<const std::int32_t> node() const { return node_; }
  /// Leaders of all nodes, ascending.
  std::span<const std::int32_t> leaders() const { return leaders_; }
  std::int32_t leader_of(std::int32_t rank) const;
  bool leads() const { return node_.front() == rank_; }
  /// Every node has as many ranks.
  bool uniform() const { return uniform_; }
  /// The ranks of every node are consecutive.
  bool blocked() const { return blocked_; }
  /// Ranks a node where all have as many, else 1.
  std::int32_t cores() const { return uniform_ ? static_cast<std::int32_t>(node_.size()) : 1; }
  /// Ranks on the node of each leader, in the order of leaders().
  std::span<const std::int32_t> node_sizes() const { return sizes_; }

 private:
  std::int32_t rank_;
  std::vector<std::int32_t> leader_of_;
  std::vector<std::int32_t> node_;
  std::vector<std::int32_t> leaders_;
  std::vector<std::int32_t> sizes_;
  bool uniform_ = true;
  bool blocked_ = true;
};

/// A part of a two-level algorithm among `ranks` (leaders, or those of a node): by `tuned`, or
/// MPICH's choice.
void perform_level(StepWriter& w, std::span<const std::int32_t> ranks, CollectiveCall part,
                   const CollectiveAlgorithm* tuned);

/// The messages by which SimGrid's ranks learn the layout (Comm::init_smp): everybody's leader, the
/// leaders' sizes of nodes, what follows from them, and whether all nodes are consecutive.
void set_up_nodes(StepWriter& w);

}  // namespace slackline::collectives
