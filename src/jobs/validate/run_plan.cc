#include "jobs/validate/run_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

namespace slackline {

std::vector<PlannedRun> plan_runs(const std::filesystem::path& folder,
                                  const std::vector<std::int64_t>& latencies_ns, int repetitions,
                                  std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<PlannedRun> runs;
  for (int repetition = 1; repetition <= repetitions; ++repetition) {
    std::vector<std::int64_t> order = latencies_ns;
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (const std::int64_t added_ns : order) {
      runs.push_back({added_ns, repetition,
                      folder / "runs" / fmt::format("{}ns-{}.slk", added_ns, repetition)});
    }
  }
  return runs;
}

}  // namespace slackline
