#include "analysis/summary/computation_imbalance.h"

#include <algorithm>
#include <vector>

#include "calls/run_span.h"

namespace slackline {
namespace {

constexpr double kUneven = 1.15;

/// What the busiest rank computes in each path more than the mean of all.
std::vector<double> excess_by_path(const Trace& trace, const CallPaths& paths, std::int32_t busiest,
                                   std::size_t present) {
  std::vector<double> excess(paths.size());
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const double weight = (r == busiest ? 1.0 : 0.0) - 1 / static_cast<double>(present);
    const RankSpan span = rank_span(trace.calls(r));
    for (std::size_t i = span.first_call; i <= span.last_call; ++i) {
      paths.split_gap(r, static_cast<std::uint32_t>(i), [&](PathId path, std::int64_t ns) {
        excess[path] += weight * static_cast<double>(ns);
      });
    }
  }
  return excess;
}

}  // namespace

std::optional<ComputationImbalance> computation_imbalance(const Trace& trace,
                                                          const CallPaths& paths,
                                                          const TimeShares& shares) {
  if (shares.present < 2 || shares.sum_ns.compute <= 0) return std::nullopt;
  const auto busiest = std::ranges::max_element(shares.ranks_ns, {}, &RankTime::compute);
  ComputationImbalance found;
  found.rank = static_cast<std::int32_t>(busiest - shares.ranks_ns.begin());
  found.over_mean = static_cast<double>(busiest->compute) * static_cast<double>(shares.present) /
                    static_cast<double>(shares.sum_ns.compute);
  if (found.over_mean < kUneven) return std::nullopt;
  if (paths.only_one()) return found;
  const std::vector<double> excess = excess_by_path(trace, paths, found.rank, shares.present);
  found.path = static_cast<PathId>(std::ranges::max_element(excess) - excess.begin());
  return found;
}

}  // namespace slackline
