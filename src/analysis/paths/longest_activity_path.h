#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/paths/activity_graph.h"

namespace slackline {

/// How the longest path is found. All of these are exact and give paths of the same length.
enum class PathAlgorithm : std::uint8_t {
  dag,             ///< one pass in topological order
  dijkstra,        ///< over slack, with a heap
  delta_stepping,  ///< over slack, with buckets of equal width
  splits,          ///< cut where all ranks synchronise, pieces in parallel, dag in each
};
inline constexpr std::array kPathAlgorithms{PathAlgorithm::dag, PathAlgorithm::dijkstra,
                                            PathAlgorithm::delta_stepping, PathAlgorithm::splits};
/// The name that --algorithm reads.
std::string_view to_string(PathAlgorithm algorithm);

/// The edges of a longest path from the start to the end, from early to late: indices into
/// ActivityGraph::edges, each with the vertex that it leads to.
struct PathStep {
  ActivityVertex to;
  std::uint32_t edge;
};
struct ActivityPath {
  std::int64_t length_ns = 0;
  std::vector<PathStep> steps;
};

/// dag, splits: O(edges). dijkstra: O(edges log vertices). delta-stepping: O(edges + buckets), with
/// `delta_ns` wide buckets (0: chosen by the mean slack).
ActivityPath longest_path(const ActivityGraph& graph, PathAlgorithm algorithm,
                          std::int64_t delta_ns = 0);

/// Vertices that every path goes through, in order; the first and the last vertex among them.
std::vector<ActivityVertex> cut_vertices(const ActivityGraph& graph);

}  // namespace slackline
