#pragma once

#include <string>
#include <string_view>

#include "graph/execution_graph.h"
#include "timing/cost/linear_cost.h"

namespace slackline {

/// The linear program whose minimum is the makespan T as a function of one parameter, in the LP
/// format that solvers share (CPLEX, Gurobi, HiGHS, glpsol, clp): times in ns with all their
/// digits, a variable for each vertex with several in-edges, and the parameter, bounded below by
/// its base value. Its reduced cost is dT/dparameter; maximising it under a bound on T gives the
/// tolerance. `name`: the parameter's, as VariedParameter::name(). O(vertices + edges), 32 bytes a
/// vertex. Source: LLAMP, algorithm 1.
std::string linear_program(const ExecutionGraph& graph, const LinearCost& cost,
                           std::string_view name);

}  // namespace slackline
