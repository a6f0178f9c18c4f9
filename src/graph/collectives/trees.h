#pragma once

#include <cstdint>
#include <vector>

#include "graph/collectives/step_writer.h"

namespace slackline::collectives {

/// A rank's place in a tree over the communicator: where it hears from, whom it tells, in order.
struct Tree {
  std::int32_t parent = -1;  ///< -1 for the root
  std::vector<std::int32_t> children{};
};

/// Binomial tree in which a child's subtree holds the ranks behind it: distance d from the root has
/// the children d + 1, d + 2, d + 4, .. below its own lowest set bit; nearest first.
Tree binomial_tree(const StepWriter& w);
/// Ranks below a child of the binomial tree, itself included.
std::int32_t binomial_subtree(const StepWriter& w, std::int32_t child_from_root);
/// Complete binary tree by levels: odd distances below the root's left child, even ones right.
Tree binary_tree(const StepWriter& w);
/// Binary tree rooted at the last rank, that visits the ranks in order (for operations that do not
/// commute).
Tree in_order_binary_tree(const StepWriter& w);
/// `chains` lines of equal length (+-1) that all start at the root; 1 is a pipeline.
Tree chain_tree(const StepWriter& w, std::int32_t chains);

}  // namespace slackline::collectives
