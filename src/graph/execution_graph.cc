#include "graph/execution_graph.h"

#include <algorithm>

namespace slackline {

std::int32_t ExecutionGraph::rank_of_call(std::uint32_t global_call) const {
  // A rank without calls shares its first call with the next one; its start vertex is told apart
  // by giving such ranks a call of their own (see GraphBuilder).
  const auto after = std::upper_bound(first_call_.begin(), first_call_.end() - 1, global_call);
  return static_cast<std::int32_t>(after - first_call_.begin()) - 1;
}

}  // namespace slackline
