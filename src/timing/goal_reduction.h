#pragma once

#include <optional>
#include <string_view>

#include "base/findings.h"
#include "graph/build.h"
#include "timing/reduction/reduced_graph.h"
#include "trace/goal/program.h"

namespace slackline {

/// What reduce() makes of build_goal_graph(), and the findings of its matching.
struct GoalReduction {
  std::optional<ReducedLogGPS> reduced;  ///< empty when sums might not fit in 61 bits
  Findings findings;
  std::uint64_t operations = 0;
  std::uint32_t ranks = 0;
};

/// Reduces a GOAL program without building its graph, where it can: all messages eager, and no two
/// ranks that can only go on by turns in the middle of what stands one after the other in their
/// blocks. For all others it builds the graph. The same function of L, o and G in either case.
///
/// `name` is the file's, for messages; `threads` (0: all) contract rank by rank, and one puts that
/// together. Throws Error as build_goal_graph(). O(operations + dependencies).
GoalReduction reduce_goal(GoalProgram program, std::string_view name, const GraphOptions& options,
                          unsigned threads = 0);

/// The same from GOAL text. No program is kept: each rank's block is contracted as soon as it has
/// been read. Beside the text some 20 bytes an operation, and 70 an operation of the largest block
/// for each thread. Throws Error also as read_goal_text().
GoalReduction reduce_goal_text(std::string_view text, std::string_view name,
                               const GraphOptions& options, unsigned threads = 0);

/// The part of reduce_goal() that needs no graph. Empty when there has to be one, or when the
/// program is wrong. Sorts the program's dependencies.
std::optional<ReducedLogGPS> reduce_goal_by_ranks(GoalProgram& program,
                                                  std::uint64_t eager_threshold_bytes,
                                                  unsigned threads = 0);

}  // namespace slackline
