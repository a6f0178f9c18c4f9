// For each piece, the share of the loss less the share of the time is a number; these add up to 0
// over all pieces. The interval with the largest sum (Kadane: a prefix with a negative sum is never
// part of it) is where the loss is concentrated.

#include "analysis/summary/concentration.h"

#include <algorithm>
#include <vector>

#include "calls/run_span.h"

namespace slackline {
namespace {

constexpr double kConcentrated = 0.15;  // share of the loss over share of the time

}  // namespace

std::optional<LossStretch> concentrated(const std::vector<LossPiece>& pieces) {
  double loss = 0;
  double time = 0;
  for (const LossPiece& p : pieces) {
    loss += p.loss;
    time += static_cast<double>(p.end_ns - p.begin_ns);
  }
  if (loss <= 0 || time <= 0) return std::nullopt;
  double best = 0;
  double sum = 0;
  std::size_t first = 0;
  std::size_t best_first = 0;
  std::size_t best_last = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (sum <= 0) {
      sum = 0;
      first = i;
    }
    sum +=
        pieces[i].loss / loss - static_cast<double>(pieces[i].end_ns - pieces[i].begin_ns) / time;
    if (sum > best) {
      best = sum;
      best_first = first;
      best_last = i;
    }
  }
  if (best < kConcentrated) return std::nullopt;
  LossStretch stretch{.begin_ns = pieces[best_first].begin_ns,
                      .end_ns = pieces[best_last].end_ns,
                      .from_start = best_first == 0,
                      .to_end = best_last + 1 == pieces.size()};
  for (std::size_t i = best_first; i <= best_last; ++i) stretch.share += pieces[i].loss / loss;
  return stretch;
}

std::optional<LossStretch> concentration(const TimeShares& shares, const TimeWindows& windows) {
  const auto length = static_cast<double>(shares.length_ns);
  const auto edge = [&](std::size_t i) {
    return shares.begin_ns + static_cast<std::int64_t>(length * static_cast<double>(i) /
                                                       static_cast<double>(kTimeWindows));
  };
  std::vector<LossPiece> pieces;
  for (std::size_t i = 0; i < kTimeWindows; ++i) {
    pieces.push_back({edge(i), edge(i + 1), windows.sums()[i]});
  }
  return concentrated(pieces);
}

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
