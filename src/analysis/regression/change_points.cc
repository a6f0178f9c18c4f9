// At which commit did a series of measurements change its level?
//
// For every place, the ranks of the values before it are compared with those after it. The largest
// standardised rank sum says where the change is most likely. Whether it is one follows from the
// same figure of the same values in random orders: no assumption is made about how values are
// distributed, only that without a change any order is as likely. Ranks instead of values keep a
// single interrupted run from hiding a change, or from looking like one; the price is that a change
// is seen only when kLeastStretch values lie after it.

#include "analysis/regression/change_points.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/regression/check.h"
#include "base/statistics.h"

namespace slackline {
namespace {

/// Midranks: equal values share the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) {
      ranks[order[k]] = static_cast<double>(i + end + 1) / 2;
    }
    i = end;
  }
  return ranks;
}

struct Split {
  std::size_t at = 0;
  double statistic = 0;
};

/// The largest |rank sum - its mean| / its deviation over all places.
Split strongest_split(const std::vector<double>& ranks) {
  const auto n = static_cast<double>(ranks.size());
  Split best;
  double sum = 0;
  for (std::size_t k = 1; k + kLeastStretch <= ranks.size(); ++k) {
    sum += ranks[k - 1];
    if (k < kLeastStretch) continue;
    const auto before = static_cast<double>(k);
    const double deviation = std::sqrt(before * (n - before) * (n + 1) / 12);
    const double statistic = std::abs(sum - before * (n + 1) / 2) / deviation;
    if (statistic > best.statistic) best = {k, statistic};
  }
  return best;
}

double median_of_values(std::span<const double> values) {
  return median_of({values.begin(), values.end()});
}

/// All changes of `values`, which begin at `first` of their series, in ascending order.
void add_changes(std::span<const double> values, std::size_t first, double level,
                 std::size_t permutations, const ChangePoint& strongest,
                 std::vector<ChangePoint>& changes) {
  if (strongest.p > level) return;
  const std::span<const double> before = values.first(strongest.at);
  const std::span<const double> after = values.subspan(strongest.at);
  add_changes(before, first, level, permutations, strongest_change(before, permutations), changes);
  changes.push_back(strongest);
  changes.back().at += first;
  add_changes(after, first + strongest.at, level, permutations,
              strongest_change(after, permutations), changes);
}

/// What is before and after a change are the stretches to the next ones.
void set_levels(const std::vector<double>& values, std::vector<ChangePoint>& changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : changes[i - 1].at;
    const std::size_t end = i + 1 == changes.size() ? values.size() : changes[i + 1].at;
    const std::span<const double> all(values);
    changes[i].before = median_of_values(all.subspan(begin, changes[i].at - begin));
    changes[i].after = median_of_values(all.subspan(changes[i].at, end - changes[i].at));
  }
}

}  // namespace

void shuffle(std::vector<double>& values, std::mt19937_64& random) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[static_cast<std::size_t>(random() % i)]);
  }
}

ChangePoint strongest_change(std::span<const double> values, std::size_t permutations) {
  if (values.size() < 2 * kLeastStretch) return {};
  std::vector<double> ranks = ranks_of(values);
  const Split found = strongest_split(ranks);
  if (found.statistic == 0) return {};
  constexpr double kRoundingOfSplit = 1e-9;
  std::mt19937_64 random(1);
  std::size_t as_clear = 1;
  for (std::size_t i = 0; i < permutations; ++i) {
    shuffle(ranks, random);
    if (strongest_split(ranks).statistic >= found.statistic - kRoundingOfSplit) ++as_clear;
  }
  return {found.at, median_of_values(values.first(found.at)),
          median_of_values(values.subspan(found.at)),
          static_cast<double>(as_clear) / static_cast<double>(permutations + 1)};
}

std::vector<std::vector<ChangePoint>> change_points(const std::vector<std::vector<double>>& series,
                                                    double error_rate, std::size_t permutations) {
  std::vector<ChangePoint> strongest;
  std::vector<double> probabilities;
  for (const std::vector<double>& values : series) {
    strongest.push_back(strongest_change(values, permutations));
    probabilities.push_back(strongest.back().p);
  }
  const std::vector<double> adjusted = holm_probabilities(probabilities);
  std::vector<std::vector<ChangePoint>> changes(series.size());
  for (std::size_t s = 0; s < series.size(); ++s) {
    if (adjusted[s] > error_rate) continue;
    const double level = error_rate * probabilities[s] / adjusted[s];
    add_changes(series[s], 0, level, permutations, strongest[s], changes[s]);
    set_levels(series[s], changes[s]);
  }
  return changes;
}

std::size_t least_values(std::size_t series, double error_rate, std::size_t permutations) {
  const double level = error_rate / static_cast<double>(series);
  if (1 / static_cast<double>(permutations + 1) > level) return 0;
  std::vector<double> values(2 * kLeastStretch);
  std::iota(values.begin(), values.end(), 0.0);
  while (strongest_change(values, permutations).p > level) {
    values.push_back(static_cast<double>(values.size()));
  }
  return values.size();
}

}  // namespace slackline
