#include "analysis/paths/measured_flows.h"

namespace slackline {

std::vector<TimelineFlow> measured_path_flows(const std::vector<RunStep>& steps) {
  std::vector<TimelineFlow> flows;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const RunStep& from = steps[i - 1];  // the computation that ends with the call waited for
    const RunStep& to = steps[i];
    if (from.rank != to.rank) flows.push_back({from.rank, from.call, to.rank, to.call});
  }
  return flows;
}

}  // namespace slackline
