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

#include "analysis/cube/significance.h"
#include "analysis/regression/change_points.h"
#include "base/error.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr FindingKind kOtherArguments{
    "other_arguments", Severity::notice,
    "Runs whose command line has other arguments than that of the first run of as many ranks; what "
    "these change counts as changed by the version."};

std::vector<double> logarithms(const std::vector<double>& values) {
  return list_of(values, [](double value) { return std::log(std::max(value, 1.0)); });
}

/// Sides are drawn at random above this many ways to choose them.
constexpr double kMostChoices = 10'000;

/// The number of ways to choose `chosen` of `all`.
double choices(std::size_t all, std::size_t chosen) {
  double count = 1;
  for (std::size_t i = 1; i <= chosen; ++i) {
    count *= static_cast<double>(all - chosen + i) / static_cast<double>(i);
  }
  return std::round(count);
}

/// The probability that random sides of as many runs have means of `fresh - shift` at least as far
/// above those of `base`: exact whatever the distribution, if the two sides have the same.
double permutation_p(const std::vector<double>& base, const std::vector<double>& fresh,
                     double shift) {
  constexpr double kRoundingOfShift = 1e-12;
  std::vector<double> all = list_of(fresh, [&](double value) { return value - shift; });
  all.insert(all.end(), base.begin(), base.end());
  std::vector<char> is_fresh(all.size(), 0);
  std::fill_n(is_fresh.begin(), fresh.size(), 1);
  const auto of_fresh = [&] {
    return std::inner_product(all.begin(), all.end(), is_fresh.begin(), 0.0);
  };
  const double measured = of_fresh() - kRoundingOfShift;
  const double count = choices(all.size(), fresh.size());
  double as_far = 1;
  if (count <= kMostChoices) {
    while (std::ranges::prev_permutation(is_fresh).found) as_far += of_fresh() >= measured;
    return as_far / count;
  }
  std::mt19937_64 random(1);
  for (double i = 1; i < kMostChoices; ++i) {
    shuffle(all, random);
    as_far += of_fresh() >= measured;
  }
  return as_far / kMostChoices;
}

/// Below that no permutation_p() can be.
double least_permutation_p(std::size_t base, std::size_t fresh) {
  return 1 / std::min(choices(base + fresh, fresh), kMostChoices);
}

/// A limit that no run times can exceed would pass for ever.
void require_enough_runs(const std::vector<CheckedLimit>& limits) {
  const double needed = kCheckErrorRate / static_cast<double>(limits.size());
  for (const CheckedLimit& limit : limits) {
    if (!limit.base || limit.base_runs == limit.fresh_runs ||
        least_permutation_p(limit.base_runs, limit.fresh_runs) <= needed) {
      continue;
    }
    std::size_t enough = 2;
    // As many as permutations tell apart; of more limits only equally many are enough.
    constexpr std::size_t kMostEnough = 8;
    while (enough < kMostEnough && least_permutation_p(enough, enough + 1) > needed) ++enough;
    throw Error(
        "too few runs",
        fmt::format("with {} of the base and {} of the new version on {} no times, however "
                    "long, would fail at {} over {}",
                    limit.base_runs, limit.fresh_runs,
                    count_of(static_cast<std::uint64_t>(limit.ranks), "rank"),
                    format_percent(kCheckErrorRate, 0), count_of(limits.size(), "limit")),
        fmt::format("Record at least {} a side, or as many of one as of the other.", enough));
  }
}

/// With one run nothing is known of how runs vary.
Error one_run(std::string_view metric, std::int32_t ranks, std::string_view side,
              std::string_view limit) {
  return Error(fmt::format("cannot test the {}", metric),
               fmt::format("there is one run {} on {}", side,
                           count_of(static_cast<std::uint64_t>(ranks), "rank")),
               fmt::format("Give at least two runs, better five, or leave out {}.", limit));
}

/// Both sides are on equally many ranks, here and below.
CheckedLimit run_time_limit(const JobSummary& base, const JobSummary& fresh, double limit) {
  CheckedLimit checked{.ranks = base.ranks, .metric = kRunMetrics[0]};
  const std::vector<double> base_values = logarithms(base.metrics[0]);
  const std::vector<double> fresh_values = logarithms(fresh.metrics[0]);
  checked.base_runs = base_values.size();
  checked.fresh_runs = fresh_values.size();
  if (checked.base_runs < 2 || checked.fresh_runs < 2) {
    throw one_run("run time", base.ranks,
                  checked.base_runs < 2 ? "of the base" : "of the new version",
                  "the limit with --max-slowdown none");
  }
  const StudentEstimate slowdown = difference_of_means(base_values, fresh_values);
  const auto [low, high] = slowdown.interval(kCheckErrorRate);
  checked.base = std::exp(mean_of(base_values));
  checked.fresh = std::exp(mean_of(fresh_values));
  checked.limit = limit;
  checked.measured = std::expm1(slowdown.value);
  checked.interval = {std::expm1(low), std::expm1(high)};
  checked.adjusted_p = slowdown.p_above(std::log1p(limit));
  if (checked.base_runs != checked.fresh_runs) {
    checked.adjusted_p =
        std::max(checked.adjusted_p, permutation_p(base_values, fresh_values, std::log1p(limit)));
  }
  checked.outcome = checked.interval.second <= limit ? CheckOutcome::kept : CheckOutcome::undecided;
  return checked;
}

CheckedLimit efficiency_limit(const JobSummary& fresh, double limit) {
  CheckedLimit checked{.ranks = fresh.ranks, .metric = kRunMetrics[1]};
  checked.fresh_runs = fresh.runs();
  checked.limit = limit;
  if (checked.fresh_runs < 2) {
    throw one_run("parallel efficiency", fresh.ranks, "of the new version",
                  "--min-parallel-efficiency");
  }
  const StudentEstimate mean = mean_estimate(fresh.metrics[1]);
  checked.fresh = checked.measured = mean.value;
  checked.interval = mean.interval(kCheckErrorRate);
  checked.adjusted_p = mean.p_below(limit);
  checked.outcome = checked.interval.first >= limit ? CheckOutcome::kept : CheckOutcome::undecided;
  return checked;
}

void decide(std::vector<CheckedLimit>& limits) {
  require_enough_runs(limits);
  const std::vector<double> adjusted = holm_probabilities(
      list_of(limits, [](const CheckedLimit& limit) { return limit.adjusted_p; }));
  for (std::size_t i = 0; i < limits.size(); ++i) {
    limits[i].adjusted_p = adjusted[i];
    if (adjusted[i] <= kCheckErrorRate) limits[i].outcome = CheckOutcome::exceeded;
  }
}

/// The significant ones of the quantities that may explain a change, tested as one family.
std::vector<ChangedQuantity> explanations(const JobSummary& base, const JobSummary& fresh) {
  const std::int32_t ranks = base.ranks;
  std::vector<ChangedQuantity> quantities;
  std::vector<double> probabilities;
  const auto add = [&](ChangedQuantity quantity, const std::vector<double>& before,
                       const std::vector<double>& after, double resolution) {
    if (before.size() < 2 || after.size() < 2) return;
    quantity.base = mean_of(before);
    quantity.fresh = mean_of(after);
    quantities.push_back(std::move(quantity));
    probabilities.push_back(welch_test(before, after, resolution));
  };
  for (std::size_t m = 1; m < kRunMetrics.size(); ++m) {
    add({ranks, std::string(kRunMetrics[m])}, base.metrics[m], fresh.metrics[m], 0);
  }
  for (const JobSummary::Function& own : fresh.functions) {
    const auto* before = find_named(base.functions, &JobSummary::Function::name, own.name);
    if (before == nullptr) continue;
    const std::int32_t slowest = most_frequent_rank(own.slowest_rank);
    add({ranks, "slowest", own.name, slowest}, before->slowest_ns, own.slowest_ns, 1);
    add({ranks, "mean", own.name}, before->mean_ns, own.mean_ns, 1);
  }
  add({ranks, "waiting"}, base.waiting, fresh.waiting, 0);
  for (const JobSummary::Wait& own : fresh.waits) {
    const auto* before = find_named(base.waits, &JobSummary::Wait::pattern, own.pattern);
    if (before != nullptr) add({ranks, own.pattern}, before->share, own.share, 0);
  }
  const std::vector<double> adjusted = holm_probabilities(probabilities);
  for (std::size_t i = 0; i < adjusted.size(); ++i) quantities[i].adjusted_p = adjusted[i];
  std::erase_if(quantities, [](const auto& q) { return q.adjusted_p > kCheckErrorRate; });
  return quantities;
}

/// Throws Error for runs of different programs. Arguments may differ on purpose, and may have the
/// number of a job: that is for the user to judge.
Findings compare_commands(const std::vector<JobSummary>& base,
                          const std::vector<JobSummary>& fresh) {
  Findings findings;
  std::map<std::int32_t, const JobSummary*> first;
  for (const std::vector<JobSummary>* side : {&base, &fresh}) {
    for (const JobSummary& summary : *side) {
      if (summary.program.empty()) continue;
      const JobSummary& known = *first.emplace(summary.ranks, &summary).first->second;
      require_same_program(known, summary);
      if (compared_command(known) == compared_command(summary)) continue;
      findings.add(kOtherArguments, fmt::format("{}, and {}", known.program, summary.program));
    }
  }
  return findings;
}

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
  RegressionCheck result;
  result.findings = compare_commands(base, fresh);
  const std::map<std::int32_t, JobSummary> base_runs = by_ranks(base);
  const std::map<std::int32_t, JobSummary> fresh_runs = by_ranks(fresh);
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
    const JobSummary& before = found->second;
    if (limits.max_slowdown) {
      result.limits.push_back(run_time_limit(before, summary, *limits.max_slowdown));
    }
    std::ranges::move(explanations(before, summary), std::back_inserter(result.changes));
  }
  if (result.limits.empty()) {
    throw Error("nothing to check", "the base and the new runs have no number of ranks in common",
                "Give runs on equally many ranks.");
  }
  // The run time first.
  std::ranges::stable_sort(result.limits, {}, [](const CheckedLimit& limit) {
    return std::pair(limit.metric != kRunMetrics[0], limit.ranks);
  });
  decide(result.limits);
  return result;
}

}  // namespace slackline
