// One series is segmented by the least sum of squared errors plus a penalty for each change: the
// exact optimum by dynamic programming (Jackson et al., IEEE Signal Process. Lett. 12, 2005),
// pruned as PELT does (Killick, Fearnhead and Eckley, J. Am. Stat. Assoc. 107, 2012).
//
// A trend would be cut into stairs. Whether there is one is a choice between models by Schwarz'
// criterion: levels alone, or levels on a trend, whose price is lower than that of a change, as it
// need not be placed. The second one is found by turns: the trend given the borders, the borders
// given the trend. It begins without any, and with the borders of the first one: within each stair
// the trend shows as it is, and where there are changes and no trend they are right already.
//
// A change with a gain of p shows as a gain of p/2 between two windows of equal length on both
// sides, of one of geometrically many lengths (the idea of seeded binary segmentation: Kovacs et
// al., Biometrika 110, 2023); only series in which one does are segmented.

#include "analysis/phases/prepared_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slackline {
namespace {

constexpr std::size_t kFittingRounds = 4;
constexpr double kTrendPrice = 0.7;  // of a change

/// PELT over blocks of steps.
std::vector<std::size_t> optimal_borders(const PreparedSeries& series, double penalty) {
  if (!series.may_change(penalty)) return {};
  const std::size_t n = series.size();
  const std::size_t block = (n + kMostSteps - 1) / kMostSteps;
  const std::size_t shortest = (kShortestLevel + block - 1) / block;
  const std::size_t blocks = (n + block - 1) / block;
  const auto step = [&](std::size_t b) { return std::min(n, b * block); };
  std::vector<double> best(blocks + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> last(blocks + 1, 0);
  std::vector<std::size_t> starts;
  best[0] = -penalty;
  for (std::size_t to = shortest; to <= blocks; ++to) {
    const std::size_t start = to - shortest;
    if (start == 0 || start >= shortest) starts.push_back(start);
    std::vector<double> costs(starts.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      costs[i] = best[starts[i]] - series.explained(step(starts[i]), step(to));
      if (costs[i] + penalty < best[to]) {
        best[to] = costs[i] + penalty;
        last[to] = starts[i];
      }
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (costs[i] <= best[to]) starts[kept++] = starts[i];
    }
    starts.resize(kept);
  }
  std::vector<std::size_t> borders;
  for (std::size_t at = last[blocks]; at > 0; at = last[at]) borders.push_back(step(at));
  std::ranges::reverse(borders);
  return borders;
}

/// Growth of sums, of queues, of numbers of particles; efficiencies are compared by difference.
std::vector<double> powers(const PreparedSeries& series) {
  if (!series.by_ratio()) return {0};
  return {-1, 0, 0.5, 1, 2};
}

/// Whether the trend is worth reporting, like a change.
bool matters(const PreparedSeries& series) {
  const std::size_t last = series.size() - 1;
  const double grown = series.level_at(0, series.size(), last) - series.level(0, series.size());
  return std::abs(grown) >= series.least_change();
}

}  // namespace

std::vector<std::size_t> fit_levels(PreparedSeries& series, double penalty) {
  std::vector<std::size_t> stairs = optimal_borders(series, penalty);
  if (stairs.empty() || series.bursty()) return stairs;
  std::vector<std::size_t> best = stairs;
  SeriesTrend best_trend;
  double least = series.error(best) + penalty * static_cast<double>(best.size());
  for (std::vector<std::size_t> borders : {stairs, std::vector<std::size_t>{}}) {
    for (std::size_t round = 0; round < kFittingRounds; ++round) {
      series.set_trend(fit_trend(series.values(), borders, powers(series)));
      std::vector<std::size_t> next = optimal_borders(series, penalty);
      const double cost =
          series.error(next) + penalty * (static_cast<double>(next.size()) + kTrendPrice);
      if (cost < least && matters(series)) {
        least = cost;
        best = next;
        best_trend = series.trend();
      }
      if (next == borders) break;
      borders = std::move(next);
    }
  }
  series.set_trend(best_trend);
  return best;
}

}  // namespace slackline
