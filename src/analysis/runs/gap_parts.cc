#include "analysis/runs/gap_parts.h"

#include "base/parallel.h"

namespace slackline {

std::vector<std::int64_t> computation_by_path(const Trace& trace, const CallPaths& paths) {
  std::vector<std::vector<std::int64_t>> of_ranks(static_cast<std::size_t>(trace.ranks()));
  parallel_for(of_ranks.size(), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    const RankCalls& calls = trace.calls(rank);
    of_ranks[r].resize(paths.size());
    for (std::size_t i = 0; i <= calls.size() && !calls.empty(); ++i) {
      visit_gap_parts(
          paths, calls, rank, static_cast<std::uint32_t>(i),
          [&](PathId path, const RankTime& time) { of_ranks[r][path] += time.compute; });
    }
  });
  std::vector<std::int64_t> sums(paths.size());
  for (const auto& of_rank : of_ranks) {
    for (std::size_t path = 0; path < sums.size(); ++path) sums[path] += of_rank[path];
  }
  return sums;
}

}  // namespace slackline
