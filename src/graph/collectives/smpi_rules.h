#pragma once

#include <string_view>

#include "graph/collectives/schedule.h"

namespace slackline::collectives {

// SimGrid's selectors, one function each; `call` as for smpi_decision.

SmpiDecision smpi_default_rules(const CollectiveCall& call);
SmpiDecision smpi_openmpi_rules(const CollectiveCall& call);
SmpiDecision smpi_mpich_rules(const CollectiveCall& call);
SmpiDecision smpi_mvapich2_rules(const CollectiveCall& call);
SmpiDecision smpi_intel_rules(const CollectiveCall& call);

/// The row that SimGrid calls so, with whether it looks at nodes, or what it nests does.
SmpiDecision smpi_row(const CollectiveCall& call, std::string_view smpi_name);

/// All nodes of the call have as many ranks.
bool nodes_uniform(const CollectiveCall& call);
/// Ranks of a node where all have as many, else 1.
std::int32_t uniform_ranks_a_node(const CollectiveCall& call);

}  // namespace slackline::collectives
