#pragma once

#include <optional>
#include <string_view>

#include "base/findings.h"
#include "graph/build.h"
#include "timing/reduced_graph.h"
#include "trace/goal/program.h"

namespace slackline {

/// What reduce() makes of build_goal_graph(), and the findings of its matching.
struct GoalReduction {
  std::optional<ReducedLogGPS> reduced;  ///< empty when sums might not fit in 61 bits
  Findings findings;
};

/// Reduces a GOAL program without building its graph, where it can: all messages eager, and no two
/// ranks that can only go on by turns in the middle of what stands one after the other in their
/// blocks. For all others it builds the graph. The same function of L, o and G in either case.
///
/// `name` is the file's, for messages; `threads` (0: all) prepare and match, one contracts. Throws
/// Error as build_goal_graph(). O(operations + dependencies); beside the program and the result 8
/// bytes an operation (16 if a block's dependencies do not all go back in it).
GoalReduction reduce_goal(GoalProgram program, std::string_view name, const GraphOptions& options,
                          unsigned threads = 0);

}  // namespace slackline
