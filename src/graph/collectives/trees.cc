// Shapes that several algorithms share. All are computed by one rank for itself, in O(log P).

#include "graph/collectives/trees.h"

#include <algorithm>

namespace slackline::collectives {

namespace {

constexpr std::int32_t kMostChains = 32;  // Open MPI's limit of children

}  // namespace

Tree binomial_tree(const StepWriter& w) {
  Tree tree;
  const std::int32_t me = w.from_root();
  std::int32_t mask = 1;
  for (; mask < w.size() && (me & mask) == 0; mask *= 2) {
    if (me + mask < w.size()) tree.children.push_back(w.rank_from_root(me + mask));
  }
  if (me != 0) tree.parent = w.rank_from_root(me - mask);
  return tree;
}

std::int32_t binomial_subtree(const StepWriter& w, std::int32_t child_from_root) {
  const std::int32_t lowest_bit = child_from_root & -child_from_root;
  return std::min(lowest_bit, w.size() - child_from_root);
}

Tree binary_tree(const StepWriter& w) {
  // Level k holds the distances 2^k - 1 .. 2^(k+1) - 2; a child is 2^k or 2^(k+1) further.
  Tree tree;
  const std::int32_t me = w.from_root();
  const std::int32_t width = power_of_two_below(me + 1);
  for (std::int32_t child = me + width; child <= me + 2 * width && child < w.size();
       child += width) {
    tree.children.push_back(w.rank_from_root(child));
  }
  if (me == 0) return tree;
  const std::int32_t above = width / 2;
  const bool near = me - above < width - 1;
  const std::int32_t parent = me <= 2 ? 0 : me - (near ? above : width);
  tree.parent = w.rank_from_root(parent);
  return tree;
}

Tree in_order_binary_tree(const StepWriter& w) {
  // The ranks [first, first + count) have their root at the end; what is left of it splits into a
  // lower half, whose root is the right child, and an upper half, whose root is the left child.
  Tree tree;
  std::int32_t first = 0;
  std::int32_t count = w.size();
  for (;;) {
    const std::int32_t top = first + count - 1;
    const std::int32_t lower = count / 2;
    const std::int32_t left = count > 1 ? top - 1 : -1;
    const std::int32_t right = count > 2 ? first + lower - 1 : -1;
    if (w.rank() == top) {
      if (left >= 0) tree.children.push_back(left);
      if (right >= 0) tree.children.push_back(right);
      return tree;
    }
    if (w.rank() == left || w.rank() == right) tree.parent = top;
    if (w.rank() > right) {
      first += right >= 0 ? lower : 0;
      count = top - first;
    } else {
      count = lower;
    }
  }
}

Tree chain_tree(const StepWriter& w, std::int32_t chains) {
  const std::int32_t others = w.size() - 1;
  chains = std::clamp(chains, 1, std::clamp(others, 1, kMostChains));
  const std::int32_t length = (others + chains - 1) / chains;
  const std::int32_t shorter = chains * length - others;  // that many chains, the last ones
  const std::int32_t longer = chains - shorter;
  const auto head = [&](std::int32_t chain) {
    return 1 + chain * length - std::max(0, chain - longer);
  };
  Tree tree;
  const std::int32_t me = w.from_root();
  if (me == 0) {
    for (std::int32_t c = 0; c < chains && others > 0; ++c) {
      tree.children.push_back(w.rank_from_root(head(c)));
    }
    return tree;
  }
  const std::int32_t in_longer = longer * length;
  const std::int32_t chain =
      me - 1 < in_longer ? (me - 1) / length : longer + (me - 1 - in_longer) / (length - 1);
  tree.parent = w.rank_from_root(me == head(chain) ? 0 : me - 1);
  if (me + 1 < head(chain + 1) && me + 1 <= others) {
    tree.children.push_back(w.rank_from_root(me + 1));
  }
  return tree;
}

}  // namespace slackline::collectives
