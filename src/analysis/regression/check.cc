// Is a new version slower than a base, by more than is allowed and more than runs vary?
//
// A false alarm stops a pipeline, so the chance of any is bounded over all limits together, and
// what is compared to explain a failure (factors, functions, waiting) is tested as a family of its
// own, which can fail nothing. Run times vary by factors, and their distributions have long tails
// to one side: their logarithms are tested, by Welch's test, as the two sides need not vary
// equally.

#include "analysis/regression/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "analysis/cube/significance.h"
#include "analysis/regression/change_points.h"
#include "base/error.h"
#include "base/student_t.h"
#include "base/units.h"

namespace slackline {
namespace {

/// One side's values.
struct RunSample {
  explicit RunSample(const std::vector<double>& values)
      : count(values.size()), mean(mean_of(values)) {
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    if (count > 1) {
      variance_of_mean = squares / static_cast<double>(count - 1) / static_cast<double>(count);
    }
  }
  std::size_t count;
  double mean;
  double variance_of_mean = 0;
};

/// An estimate that is distributed as Student's t around what it estimates.
struct StudentEstimate {
  double value = 0;
  double error = 0;    ///< standard error
  double freedom = 1;  ///< degrees of freedom

  /// The probability of a value at least as far above `limit`, if that is the true one.
  double p_above(double limit) const {
    if (error == 0) return value > limit ? 0 : 1;
    const double two_sided = student_t_two_sided((value - limit) / error, freedom);
    return value > limit ? two_sided / 2 : 1 - two_sided / 2;
  }
  /// The same below.
  double p_below(double limit) const { return 1 - p_above(limit); }
  std::pair<double, double> interval() const {
    const double half = student_t(static_cast<std::size_t>(freedom)) * error;
    return {value - half, value + half};
  }
};

/// Welch 1947: the two need not vary equally.
StudentEstimate difference_of_means(const RunSample& base, const RunSample& fresh) {
  const double a = base.variance_of_mean;
  const double b = fresh.variance_of_mean;
  StudentEstimate estimate{fresh.mean - base.mean, std::sqrt(a + b), 1};
  if (a + b > 0) {
    estimate.freedom = (a + b) * (a + b) /
                       (a * a / static_cast<double>(base.count - 1) +
                        b * b / static_cast<double>(fresh.count - 1));
  }
  return estimate;
}

StudentEstimate mean_estimate(const RunSample& sample) {
  return {sample.mean, std::sqrt(sample.variance_of_mean), static_cast<double>(sample.count - 1)};
}

std::vector<double> logarithms(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double value : values) result.push_back(std::log(std::max(value, 1.0)));
  return result;
}

/// The probability that random sides of equally many runs have means of `fresh - shift` at least as
/// far above those of `base`: exact whatever the distribution, if the two sides have the same.
double permutation_p(const std::vector<double>& base, const std::vector<double>& fresh,
                     double shift) {
  constexpr int kPermutations = 9999;
  constexpr double kRounding = 1e-12;
  std::vector<double> all;
  for (const double value : fresh) all.push_back(value - shift);
  all.insert(all.end(), base.begin(), base.end());
  const auto of_fresh = [&] {
    return std::accumulate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(fresh.size()),
                           0.0);
  };
  const double measured = of_fresh();
  std::mt19937_64 random(1);
  int as_far = 1;
  for (int i = 0; i < kPermutations; ++i) {
    shuffle(all, random);
    if (of_fresh() >= measured - kRounding) ++as_far;
  }
  return static_cast<double>(as_far) / (kPermutations + 1);
}

/// With one run nothing is known of how runs vary.
Error one_run(std::string_view metric, std::int32_t ranks, std::string_view side,
              std::string_view limit) {
  return Error(fmt::format("cannot test the {}", metric),
               fmt::format("there is one run {} on {}", side,
                           count_of(static_cast<std::uint64_t>(ranks), "rank")),
               fmt::format("Give at least two runs, better five, or leave out {}.", limit));
}

/// Both sides on equally many ranks.
struct ComparedSides {
  JobSummary base;
  JobSummary fresh;
};

CheckedLimit run_time_limit(const ComparedSides& sides, double limit) {
  const std::vector<double> base_values = logarithms(sides.base.metrics[0]);
  const std::vector<double> fresh_values = logarithms(sides.fresh.metrics[0]);
  const RunSample base(base_values);
  const RunSample fresh(fresh_values);
  if (base.count < 2 || fresh.count < 2) {
    throw one_run("run time", sides.base.ranks,
                  base.count < 2 ? "of the base" : "of the new version",
                  "the limit with --max-slowdown none");
  }
  const StudentEstimate slowdown = difference_of_means(base, fresh);
  const auto [low, high] = slowdown.interval();
  CheckedLimit checked{.ranks = sides.base.ranks, .metric = kRunMetrics[0]};
  checked.base = std::exp(base.mean);
  checked.fresh = std::exp(fresh.mean);
  checked.base_runs = base.count;
  checked.fresh_runs = fresh.count;
  checked.limit = limit;
  checked.measured = std::expm1(slowdown.value);
  checked.interval = {std::expm1(low), std::expm1(high)};
  checked.adjusted_p = slowdown.p_above(std::log1p(limit));
  if (base.count != fresh.count) {
    checked.adjusted_p =
        std::max(checked.adjusted_p, permutation_p(base_values, fresh_values, std::log1p(limit)));
  }
  checked.outcome = checked.interval.second <= limit ? CheckOutcome::kept : CheckOutcome::undecided;
  return checked;
}

CheckedLimit efficiency_limit(const JobSummary& fresh, double limit) {
  const RunSample sample(fresh.metrics[1]);
  CheckedLimit checked{.ranks = fresh.ranks, .metric = kRunMetrics[1]};
  checked.fresh = checked.measured = sample.mean;
  checked.fresh_runs = sample.count;
  checked.limit = limit;
  if (sample.count < 2) {
    throw one_run("parallel efficiency", fresh.ranks, "of the new version",
                  "--min-parallel-efficiency");
  }
  const StudentEstimate mean = mean_estimate(sample);
  checked.interval = mean.interval();
  checked.adjusted_p = mean.p_below(limit);
  checked.outcome = checked.interval.first >= limit ? CheckOutcome::kept : CheckOutcome::undecided;
  return checked;
}

void decide(std::vector<CheckedLimit>& limits, double error_rate) {
  std::vector<double> probabilities;
  for (const CheckedLimit& limit : limits) probabilities.push_back(limit.adjusted_p);
  const std::vector<double> adjusted = holm_probabilities(probabilities);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    limits[i].adjusted_p = adjusted[i];
    if (adjusted[i] <= error_rate) limits[i].outcome = CheckOutcome::exceeded;
  }
}

/// Quantities that may explain a change, tested as one family.
class Explanations {
 public:
  explicit Explanations(const ComparedSides& sides) : ranks_(sides.base.ranks) {
    for (std::size_t m = 1; m < kRunMetrics.size(); ++m) {
      add({ranks_, std::string(kRunMetrics[m])}, sides.base.metrics[m], sides.fresh.metrics[m], 0);
    }
    for (const JobSummary::Function& fresh : sides.fresh.functions) {
      const auto base =
          std::ranges::find(sides.base.functions, fresh.name, &JobSummary::Function::name);
      if (base == sides.base.functions.end()) continue;
      const std::int32_t slowest = most_frequent(fresh.slowest_rank);
      add({ranks_, "slowest", fresh.name, slowest}, base->slowest_ns, fresh.slowest_ns, 1);
      add({ranks_, "mean", fresh.name}, base->mean_ns, fresh.mean_ns, 1);
    }
    add({ranks_, "waiting"}, sides.base.waiting, sides.fresh.waiting, 0);
    for (const JobSummary::Wait& fresh : sides.fresh.waits) {
      const auto base =
          std::ranges::find(sides.base.waits, fresh.pattern, &JobSummary::Wait::pattern);
      if (base != sides.base.waits.end()) add({ranks_, fresh.pattern}, base->share, fresh.share, 0);
    }
  }

  std::vector<ChangedQuantity> significant(double error_rate) const {
    const std::vector<double> adjusted = holm_probabilities(probabilities_);
    std::vector<ChangedQuantity> changed;
    for (std::size_t i = 0; i < adjusted.size(); ++i) {
      if (adjusted[i] > error_rate) continue;
      changed.push_back(quantities_[i]);
      changed.back().adjusted_p = adjusted[i];
    }
    return changed;
  }

 private:
  static std::int32_t most_frequent(const std::vector<std::int32_t>& ranks) {
    std::map<std::int32_t, int> counts;
    for (const std::int32_t rank : ranks) ++counts[rank];
    return std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; })->first;
  }

  void add(ChangedQuantity quantity, const std::vector<double>& base,
           const std::vector<double>& fresh, double resolution) {
    if (base.size() < 2 || fresh.size() < 2) return;
    quantity.base = mean_of(base);
    quantity.fresh = mean_of(fresh);
    quantities_.push_back(std::move(quantity));
    probabilities_.push_back(welch_test(base, fresh, resolution));
  }

  std::int32_t ranks_;
  std::vector<ChangedQuantity> quantities_;
  std::vector<double> probabilities_;
};

std::map<std::int32_t, JobSummary> by_ranks(const std::vector<JobSummary>& summaries) {
  std::map<std::int32_t, std::vector<JobSummary>> groups;
  for (const JobSummary& summary : summaries) groups[summary.ranks].push_back(summary);
  std::map<std::int32_t, JobSummary> result;
  for (const auto& [ranks, group] : groups) result.emplace(ranks, merged(group));
  return result;
}

}  // namespace

std::vector<double> holm_probabilities(const std::vector<double>& probabilities) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return probabilities[i]; });
  std::vector<double> adjusted(probabilities.size());
  double largest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double p = probabilities[order[k]] * static_cast<double>(order.size() - k);
    largest = std::max(largest, std::min(p, 1.0));
    adjusted[order[k]] = largest;
  }
  return adjusted;
}

bool RegressionCheck::exceeded() const {
  return std::ranges::any_of(
      limits, [](const CheckedLimit& limit) { return limit.outcome == CheckOutcome::exceeded; });
}

RegressionCheck check_regression(const std::vector<JobSummary>& base,
                                 const std::vector<JobSummary>& fresh, const CheckLimits& limits) {
  const std::map<std::int32_t, JobSummary> base_runs = by_ranks(base);
  const std::map<std::int32_t, JobSummary> fresh_runs = by_ranks(fresh);
  RegressionCheck result;
  for (const auto& [ranks, summary] : base_runs) {
    if (!fresh_runs.contains(ranks)) result.unpaired.push_back(ranks);
  }
  for (const auto& [ranks, summary] : fresh_runs) {
    if (limits.min_parallel_efficiency) {
      result.limits.push_back(efficiency_limit(summary, *limits.min_parallel_efficiency));
    }
    const auto found = base_runs.find(ranks);
    if (found == base_runs.end()) {
      result.unpaired.push_back(ranks);
      continue;
    }
    const ComparedSides sides{found->second, summary};
    if (limits.max_slowdown) {
      result.limits.push_back(run_time_limit(sides, *limits.max_slowdown));
    }
    std::ranges::move(Explanations(sides).significant(limits.error_rate),
                      std::back_inserter(result.changes));
  }
  if (result.limits.empty()) {
    throw Error("nothing to check", "the base and the new runs have no number of ranks in common",
                "Give runs on equally many ranks.");
  }
  // The run time first.
  std::ranges::stable_sort(result.limits, {}, [](const CheckedLimit& limit) {
    return std::pair(limit.metric != kRunMetrics[0], limit.ranks);
  });
  decide(result.limits, limits.error_rate);
  return result;
}

}  // namespace slackline
