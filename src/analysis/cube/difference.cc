#include "analysis/cube/difference.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace slackline {
namespace {

/// One severity of all runs of a group; rank -1: the sum over ranks.
std::vector<double> values_of(const RunGroup& group, const SeverityCube::Key& key,
                              std::int32_t rank) {
  return list_of(group.runs, [&](const RunSeverities& run) {
    return rank < 0 ? run.cube.sum(key) : run.cube.of(key)[static_cast<std::size_t>(rank)];
  });
}

bool is_time(const SeverityCube::Key& key) {
  return key.metric != "calls" && key.metric != "bytes";
}

std::set<SeverityCube::Key> keys_of(const std::vector<const RunGroup*>& groups) {
  std::set<SeverityCube::Key> keys;
  for (const RunGroup* group : groups) {
    for (const RunSeverities& run : group->runs) {
      for (const auto& [key, values] : run.cube.severities()) keys.insert(key);
    }
  }
  return keys;
}

void add_wait(const SeverityDifference& d, WaitMigration& wait) {
  wait.a += d.value.a;
  wait.b += d.value.b;
  if (d.value.c) wait.c = wait.c.value_or(0) + *d.value.c;
  (d.value.difference() < 0 ? wait.vanished : wait.appeared) += std::abs(d.value.difference());
}

/// Waits that are not equal, by pattern, and by pattern and call path.
class Waits {
 public:
  void add(const SeverityDifference& d) {
    if (!d.key.is_wait()) return;
    add_wait(d, of(by_pattern_, {d.key.metric, {}}));
    add_wait(d, of(by_path_, d.key));
  }
  std::vector<WaitMigration> by_pattern() const { return listed(by_pattern_); }
  std::vector<WaitMigration> by_path() const {
    std::vector<WaitMigration> all = listed(by_path_);
    const auto most = [](const WaitMigration& w) { return std::max({w.a, w.b, w.c.value_or(0)}); };
    std::ranges::stable_sort(all, std::greater(), most);
    return all;
  }

 private:
  using ByKey = std::map<SeverityCube::Key, WaitMigration>;

  static WaitMigration& of(ByKey& waits, const SeverityCube::Key& key) {
    return waits.try_emplace(key, WaitMigration{key.metric, key.call_path}).first->second;
  }
  static std::vector<WaitMigration> listed(const ByKey& waits) {
    return list_of(waits, [](const auto& wait) { return wait.second; });
  }

  ByKey by_pattern_{};
  ByKey by_path_{};
};

std::vector<double> metric_of(const RunGroup& group, std::size_t metric) {
  return list_of(group.runs, [&](const RunSeverities& run) { return run.metrics[metric]; });
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

RunMetrics run_metrics(const EfficiencyInputs& inputs) {
  const EfficiencyFactors f = factors(inputs, EfficiencyVariant::multiplicative);
  return {inputs.observed_ns, f.parallel,      f.load_balance,
          f.communication,    f.serialisation, f.transfer};
}

std::string spaced(std::string_view name) {
  std::string words(name);
  std::ranges::replace(words, '_', ' ');
  return words;
}

RunDifference difference(const RunGroup& a, const RunGroup& b, Groups groups, const RunGroup* c) {
  std::vector<const RunGroup*> all{&a, &b};
  if (c != nullptr) all.push_back(c);
  const std::int32_t ranks = a.runs.front().cube.ranks();
  const auto same_ranks = [&](const RunSeverities& run) {
    return run.by_rank && run.cube.ranks() == ranks;
  };
  RunDifference result{
      .a = a.name, .b = b.name, .differences = {}, .waits = {}, .waits_by_path = {}};
  if (c != nullptr) result.c = c->name;
  result.by_rank = std::ranges::all_of(
      all, [&](const RunGroup* group) { return std::ranges::all_of(group->runs, same_ranks); });
  using Part = TestedFamily::Part;
  TestedFamily family(groups == Groups::independent && a.runs.size() > 1 && b.runs.size() > 1);
  std::vector<std::optional<std::size_t>> members;  // of the metrics, then of the differences
  const auto compared = [&](Part part, double resolution, const auto& values_in) {
    const std::vector<double> x = values_in(a);
    const std::vector<double> y = values_in(b);
    members.push_back(family.add(part, x, y, resolution));
    ComparedValue value{mean_of(x), mean_of(y)};
    if (c != nullptr) value.c = mean_of(values_in(*c));
    return value;
  };
  for (std::size_t m = 0; m < kRunMetrics.size(); ++m) {
    result.metrics[m] = compared(Part::metrics, m == 0 ? 1 : 0,
                                 [&](const RunGroup& group) { return metric_of(group, m); });
  }
  Waits waits;
  for (const SeverityCube::Key& key : keys_of(all)) {
    for (std::int32_t rank = result.by_rank ? 0 : -1; rank < (result.by_rank ? ranks : 0); ++rank) {
      const SeverityDifference d{key, rank, compared(Part::severities, 1, [&](const auto& group) {
                                   return values_of(group, key, rank);
                                 })};
      waits.add(d);
      if (d.value.difference() == 0 && d.value.difference_of_c() == 0) {
        members.pop_back();
      } else {
        result.differences.push_back(d);
      }
    }
  }
  const std::vector<double> adjusted = family.adjusted();
  result.tested = adjusted.size();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!members[i]) continue;
    (i < kRunMetrics.size() ? result.metrics[i] : result.differences[i - kRunMetrics.size()].value)
        .adjusted_p = adjusted[*members[i]];
  }
  const auto largest = [](const ComparedValue& v) {
    return std::max(std::abs(v.difference()), std::abs(v.difference_of_c()));
  };
  std::ranges::stable_sort(result.differences, [&](const auto& x, const auto& y) {
    if (is_time(x.key) != is_time(y.key)) return is_time(x.key);
    return largest(x.value) > largest(y.value);
  });
  result.waits = waits.by_pattern();
  result.waits_by_path = waits.by_path();
  return result;
}

}  // namespace slackline
