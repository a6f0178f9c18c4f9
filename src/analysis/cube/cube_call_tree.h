#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/cube/severity_cube.h"

namespace slackline {

/// The functions or regions of a call path of a cube: "main/solve" has two; the empty one has none.
std::vector<std::string> frames_of(const std::string& call_path);

/// A node of the tree of all call paths of a cube.
struct CallTreeNode {
  std::string name;       ///< the innermost function, region or operation; empty of the root
  std::string call_path;  ///< as SeverityCube::Key has it
  std::size_t depth = 0;  ///< of the root 0
};

/// In preorder, children by name; the first one is the root, which is outside of all. O(n log n).
std::vector<CallTreeNode> call_tree_of(const SeverityCube& cube);

}  // namespace slackline
