#pragma once

#include <cstdint>
#include <vector>

#include "analysis/model_choice.h"
#include "graph/execution_graph.h"
#include "report/report.h"

namespace slackline {

/// What a report says of the gap per byte G beside what it says of the latency: T(G) with its
/// tolerances; `bandwidth` in the result. `degradations_ppm` ascending. A few passes a tolerance
/// and up to 300 for T(G), fewer of large graphs.
Report bandwidth_report(const ExecutionGraph& graph, const ModelChoice& choice,
                        const std::vector<std::int64_t>& degradations_ppm);

}  // namespace slackline
