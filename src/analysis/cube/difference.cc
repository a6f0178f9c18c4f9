#include "analysis/cube/difference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/student_t.h"

namespace slackline {
namespace {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The variance of the mean of the values.
double variance_of_mean(const std::vector<double>& values) {
  const double mean = mean_of(values);
  const auto n = static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / (n - 1) / n;
}

/// Welch's test at 95 %: the groups need not vary equally.
std::optional<bool> significant(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const double va = variance_of_mean(a);
  const double vb = variance_of_mean(b);
  const double difference = std::abs(mean_of(b) - mean_of(a));
  if (va + vb == 0) return difference > 0;
  const double freedom =
      (va + vb) * (va + vb) /
      (va * va / static_cast<double>(a.size() - 1) + vb * vb / static_cast<double>(b.size() - 1));
  return difference > student_t(static_cast<std::size_t>(freedom)) * std::sqrt(va + vb);
}

/// One severity of all runs of a group; rank -1: the sum over ranks.
std::vector<double> values_of(const RunGroup& group, const SeverityCube::Key& key,
                              std::int32_t rank) {
  std::vector<double> values;
  for (const SeverityCube& run : group.runs) {
    values.push_back(rank < 0 ? run.sum(key) : run.of(key)[static_cast<std::size_t>(rank)]);
  }
  return values;
}

bool is_time(const SeverityCube::Key& key) {
  return key.metric != "calls" && key.metric != "bytes";
}

std::set<SeverityCube::Key> keys_of(const RunGroup& a, const RunGroup& b) {
  std::set<SeverityCube::Key> keys;
  for (const RunGroup* group : {&a, &b}) {
    for (const SeverityCube& run : group->runs) {
      for (const auto& [key, values] : run.severities()) keys.insert(key);
    }
  }
  return keys;
}

void add_wait(const SeverityDifference& d, std::map<std::string, WaitMigration>& waits) {
  if (!d.key.is_wait()) return;
  WaitMigration& wait = waits[d.key.metric];
  wait.pattern = d.key.metric;
  wait.a += d.a;
  wait.b += d.b;
  (d.b < d.a ? wait.vanished : wait.appeared) += std::abs(d.difference());
}

}  // namespace

RunDifference difference(const RunGroup& a, const RunGroup& b) {
  const std::int32_t ranks = a.runs.front().ranks();
  const auto same_ranks = [&](const SeverityCube& run) { return run.ranks() == ranks; };
  RunDifference result{.a = a.name, .b = b.name, .differences = {}, .waits = {}};
  result.by_rank =
      std::ranges::all_of(a.runs, same_ranks) && std::ranges::all_of(b.runs, same_ranks);
  std::map<std::string, WaitMigration> waits;
  for (const SeverityCube::Key& key : keys_of(a, b)) {
    for (std::int32_t rank = result.by_rank ? 0 : -1; rank < (result.by_rank ? ranks : 0); ++rank) {
      const std::vector<double> x = values_of(a, key, rank);
      const std::vector<double> y = values_of(b, key, rank);
      const SeverityDifference d{key, rank, mean_of(x), mean_of(y), significant(x, y)};
      add_wait(d, waits);
      if (d.a != d.b) result.differences.push_back(d);
    }
  }
  std::ranges::stable_sort(result.differences, [](const auto& x, const auto& y) {
    if (is_time(x.key) != is_time(y.key)) return is_time(x.key);
    return std::abs(x.difference()) > std::abs(y.difference());
  });
  for (auto& [pattern, wait] : waits) result.waits.push_back(std::move(wait));
  return result;
}

}  // namespace slackline
