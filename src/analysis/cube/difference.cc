#include "analysis/cube/difference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace slackline {
namespace {

/// One severity of all runs of a group; rank -1: the sum over ranks.
std::vector<double> values_of(const RunGroup& group, const SeverityCube::Key& key,
                              std::int32_t rank) {
  std::vector<double> values;
  for (const RunSeverities& run : group.runs) {
    values.push_back(rank < 0 ? run.cube.sum(key)
                              : run.cube.of(key)[static_cast<std::size_t>(rank)]);
  }
  return values;
}

bool is_time(const SeverityCube::Key& key) {
  return key.metric != "calls" && key.metric != "bytes";
}

std::set<SeverityCube::Key> keys_of(const RunGroup& a, const RunGroup& b) {
  std::set<SeverityCube::Key> keys;
  for (const RunGroup* group : {&a, &b}) {
    for (const RunSeverities& run : group->runs) {
      for (const auto& [key, values] : run.cube.severities()) keys.insert(key);
    }
  }
  return keys;
}

void add_wait(const SeverityDifference& d, std::map<std::string, WaitMigration>& waits) {
  if (!d.key.is_wait()) return;
  WaitMigration& wait = waits[d.key.metric];
  wait.pattern = d.key.metric;
  wait.a += d.value.a;
  wait.b += d.value.b;
  (d.value.difference() < 0 ? wait.vanished : wait.appeared) += std::abs(d.value.difference());
}

std::vector<double> metric_of(const RunGroup& group, std::size_t metric) {
  std::vector<double> values;
  for (const RunSeverities& run : group.runs) values.push_back(run.metrics[metric]);
  return values;
}

bool all_equal(const std::vector<double>& x, const std::vector<double>& y) {
  const auto differs = [&](double value) { return value != x.front(); };
  return std::ranges::none_of(x, differs) && std::ranges::none_of(y, differs);
}

/// All quantities of a comparison, tested together.
class TestedFamily {
 public:
  enum class Part : std::uint8_t { metrics, severities };

  explicit TestedFamily(bool testable) : testable_(testable) {}

  /// A quantity that is equal in all runs cannot be marked, and is no member. The index of others.
  std::optional<std::size_t> add(Part part, const std::vector<double>& x,
                                 const std::vector<double>& y, double resolution) {
    if (!testable_ || all_equal(x, y)) return std::nullopt;
    p_.push_back(welch_test(x, y, resolution));
    metrics_ += part == Part::metrics ? 1 : 0;
    return p_.size() - 1;
  }

  /// By index. The metrics are the first members.
  std::vector<double> adjusted() const {
    const double metrics = static_cast<double>(metrics_);
    const double others = static_cast<double>(p_.size()) - metrics;
    std::vector<TestedHypothesis> hypotheses;
    for (std::size_t i = 0; i < p_.size(); ++i) {
      hypotheses.push_back({p_[i], 1 / (i < metrics_ ? metrics : others)});
    }
    return adjusted_probabilities(hypotheses);
  }

 private:
  bool testable_;
  std::vector<double> p_{};
  std::size_t metrics_ = 0;
};

}  // namespace

std::string spaced(std::string_view name) {
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  return words;
}

RunDifference difference(const RunGroup& a, const RunGroup& b, Groups groups) {
  const std::int32_t ranks = a.runs.front().cube.ranks();
  const auto same_ranks = [&](const RunSeverities& run) {
    return run.by_rank && run.cube.ranks() == ranks;
  };
  RunDifference result{.a = a.name, .b = b.name, .differences = {}, .waits = {}};
  result.by_rank =
      std::ranges::all_of(a.runs, same_ranks) && std::ranges::all_of(b.runs, same_ranks);
  TestedFamily family(groups == Groups::independent && a.runs.size() > 1 && b.runs.size() > 1);
  std::vector<std::optional<std::size_t>> members;  // of the metrics, then of the differences
  for (std::size_t m = 0; m < kRunMetrics.size(); ++m) {
    const std::vector<double> x = metric_of(a, m);
    const std::vector<double> y = metric_of(b, m);
    result.metrics[m] = {mean_of(x), mean_of(y)};
    members.push_back(family.add(TestedFamily::Part::metrics, x, y, m == 0 ? 1 : 0));
  }
  std::map<std::string, WaitMigration> waits;
  for (const SeverityCube::Key& key : keys_of(a, b)) {
    for (std::int32_t rank = result.by_rank ? 0 : -1; rank < (result.by_rank ? ranks : 0); ++rank) {
      const std::vector<double> x = values_of(a, key, rank);
      const std::vector<double> y = values_of(b, key, rank);
      const SeverityDifference d{key, rank, {mean_of(x), mean_of(y)}};
      add_wait(d, waits);
      const auto member = family.add(TestedFamily::Part::severities, x, y, 1);
      if (d.value.a == d.value.b) continue;
      result.differences.push_back(d);
      members.push_back(member);
    }
  }
  const std::vector<double> adjusted = family.adjusted();
  result.tested = adjusted.size();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!members[i]) continue;
    (i < kRunMetrics.size() ? result.metrics[i] : result.differences[i - kRunMetrics.size()].value)
        .adjusted_p = adjusted[*members[i]];
  }
  std::ranges::stable_sort(result.differences, [](const auto& x, const auto& y) {
    if (is_time(x.key) != is_time(y.key)) return is_time(x.key);
    return std::abs(x.value.difference()) > std::abs(y.value.difference());
  });
  for (auto& [pattern, wait] : waits) result.waits.push_back(std::move(wait));
  return result;
}

}  // namespace slackline
