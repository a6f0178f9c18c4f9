#pragma once

#include <functional>
#include <string_view>

#include "graph/execution_graph.h"
#include "timing/cost/linear_cost.h"

namespace slackline {

/// Writes the makespan as a linear program in CPLEX's LP format, piece by piece: minimise T, where
/// L >= the model's value of the parameter that varies, and every vertex of the graph comes as long
/// after each of its predecessors as the edge costs (LLAMP, Algorithm 1). Vertices with one
/// predecessor have no variable. Times in ns, exact. The objective of any solver is the makespan,
/// and the reduced cost of L its derivative. O(vertices + edges); throws Error for sums beyond 64
/// bits of femtoseconds.
void write_linear_program(const ExecutionGraph& graph, const LinearCost& cost,
                          const std::function<void(std::string_view)>& write);

}  // namespace slackline
