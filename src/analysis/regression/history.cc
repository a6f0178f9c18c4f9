#include "analysis/regression/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "analysis/regression/change_points.h"
#include "base/statistics.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr FindingKind kUnlistedCommit{
    "commit_not_listed", Severity::notice,
    "Runs of commits that are not in the list of commits, or begin like several of it; they are "
    "left out."};

/// A series, and what it is of.
struct TestedSeries {
  std::size_t history = 0;  ///< index into History::by_ranks
  std::string quantity;
  std::string function{};
  std::vector<double> values{};
};

const JobSummary::Function* function_of(const HistoryPoint& point, const std::string& name) {
  return find_named(point.runs.functions, &JobSummary::Function::name, name);
}

bool in_all(const RankHistory& history, const std::string& function) {
  return std::ranges::all_of(history.points, [&](const HistoryPoint& point) {
    return function_of(point, function) != nullptr;
  });
}

std::vector<std::string> functions_in_all(const RankHistory& history) {
  std::vector<std::string> names;
  for (const JobSummary::Function& function : history.points.front().runs.functions) {
    if (in_all(history, function.name)) names.push_back(function.name);
  }
  return names;
}

void add_series(std::size_t index, const RankHistory& history, std::vector<TestedSeries>& all) {
  for (std::size_t m = 0; m < kRunMetrics.size(); ++m) {
    TestedSeries series{index, std::string(kRunMetrics[m])};
    for (const HistoryPoint& point : history.points) {
      series.values.push_back(median_of(point.runs.metrics[m]));
    }
    all.push_back(std::move(series));
  }
  for (const std::string& name : functions_in_all(history)) {
    TestedSeries series{index, "slowest", name};
    for (const HistoryPoint& point : history.points) {
      series.values.push_back(median_of(function_of(point, name)->slowest_ns));
    }
    all.push_back(std::move(series));
  }
}

/// Values of a function in all runs of the points.
template <class Value>
std::vector<Value> function_values(std::span<const HistoryPoint> points,
                                   const std::string& function,
                                   std::vector<Value> JobSummary::Function::*list) {
  std::vector<Value> values;
  for (const HistoryPoint& point : points) {
    const auto& own = function_of(point, function)->*list;
    values.insert(values.end(), own.begin(), own.end());
  }
  return values;
}

/// Compares the points since the change before with those up to the change after.
std::optional<ChangedFunction> most_changed_function(const RankHistory& history,
                                                     std::size_t changed_commit) {
  using Function = JobSummary::Function;
  const std::span<const ChangedCommit> all(history.changed);
  const bool last = changed_commit + 1 == all.size();
  const std::size_t at = all[changed_commit].point;
  const std::size_t begin = changed_commit == 0 ? 0 : all[changed_commit - 1].point;
  const std::size_t end = last ? history.points.size() : all[changed_commit + 1].point;
  const std::span<const HistoryPoint> points(history.points);
  const std::span<const HistoryPoint> before = points.subspan(begin, at - begin);
  const std::span<const HistoryPoint> after = points.subspan(at, end - at);
  std::optional<ChangedFunction> most;
  for (const std::string& name : functions_in_all(history)) {
    const auto change = [&](std::vector<double> Function::*times) {
      return median_of(function_values(after, name, times)) -
             median_of(function_values(before, name, times));
    };
    ChangedFunction changed{.name = name,
                            .change_ns = change(&Function::slowest_ns),
                            .mean_change_ns = change(&Function::mean_ns)};
    if (most && std::abs(most->change_ns) >= std::abs(changed.change_ns)) continue;
    changed.rank = most_frequent_rank(
        function_values(changed.change_ns >= 0 ? after : before, name, &Function::slowest_rank));
    most = std::move(changed);
  }
  return most;
}

void add_change(const TestedSeries& series, const ChangePoint& change, RankHistory& history) {
  auto found = std::ranges::find(history.changed, change.at, &ChangedCommit::point);
  if (found == history.changed.end()) {
    history.changed.push_back({change.at, {}, {}});
    found = history.changed.end() - 1;
  }
  found->changes.push_back(
      {change.at, series.quantity, series.function, change.before, change.after, change.p});
}

void find_changes(History& history) {
  std::vector<TestedSeries> tested;
  for (std::size_t i = 0; i < history.by_ranks.size(); ++i) {
    add_series(i, history.by_ranks[i], tested);
  }
  history.tested = tested.size();
  const auto changes = change_points(
      list_of(tested, [](const TestedSeries& series) { return series.values; }), kHistoryErrorRate);
  for (std::size_t s = 0; s < tested.size(); ++s) {
    for (const ChangePoint& change : changes[s]) {
      add_change(tested[s], change, history.by_ranks[tested[s].history]);
    }
  }
  for (RankHistory& ranks : history.by_ranks) {
    std::ranges::sort(ranks.changed, {}, &ChangedCommit::point);
    for (std::size_t c = 0; c < ranks.changed.size(); ++c) {
      const auto function = most_changed_function(ranks, c);
      if (function) ranks.changed[c].functions.push_back(*function);
    }
  }
}

/// Where a commit stands: by the list of commits, else by the date of its first run.
using Position = std::pair<std::size_t, std::string>;

/// The places of commits in a list of them.
class ListedCommits {
 public:
  explicit ListedCommits(const std::vector<std::string>& commits) {
    for (std::size_t i = 0; i < commits.size(); ++i) positions_.emplace(commits[i], i);
  }

  std::optional<std::size_t> position(const std::string& commit) const {
    const auto found = positions_.find(commit);
    if (found == positions_.end()) return std::nullopt;
    return found->second;
  }

  /// The same where either may be shortened. Nothing if several begin like that.
  std::optional<std::size_t> position_of_hash(const std::string& commit) const {
    const std::optional<std::size_t> exact = position(commit);
    if (exact || !is_hash(commit)) return exact;
    const auto longer = positions_.lower_bound(commit);
    if (begins_with(longer, commit)) {
      if (begins_with(std::next(longer), commit)) return std::nullopt;
      return longer->second;
    }
    for (std::size_t size = commit.size() - 1; size >= kLeastDigits; --size) {
      if (const auto shorter = position(commit.substr(0, size))) return shorter;
    }
    return std::nullopt;
  }

 private:
  using Positions = std::map<std::string, std::size_t>;

  /// Git shortens hashes to seven digits at least.
  static constexpr std::size_t kLeastDigits = 7;
  static bool is_hash(const std::string& commit) {
    return commit.size() >= kLeastDigits &&
           commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  }
  bool begins_with(Positions::const_iterator listed, const std::string& commit) const {
    return listed != positions_.end() && listed->first.starts_with(commit);
  }

  Positions positions_{};
};

}  // namespace

History history(const std::vector<HistoryEntry>& entries, const std::vector<std::string>& commits) {
  struct Group {
    Position position;
    std::string commit;
    std::vector<JobSummary> runs;
  };
  const ListedCommits listed(commits);
  History result;
  std::map<std::pair<std::int32_t, std::string>, std::map<std::string, Group>> groups;
  for (const HistoryEntry& entry : entries) {
    const std::string& known = entry.summary.identity.commit;
    std::string commit = known.empty() ? entry.name : known;
    Position position{0, entry.summary.started};
    if (!commits.empty()) {
      const std::optional<std::size_t> found =
          known.empty() ? listed.position(commit) : listed.position_of_hash(commit);
      if (!found) {
        result.findings.add(kUnlistedCommit, fmt::format("{}, of {}", entry.name, commit));
        continue;
      }
      position.first = *found;
      commit = commits[*found];
    }
    Group& group = groups[{entry.summary.ranks, compared_command(entry.summary)}][commit];
    if (group.runs.empty() || position < group.position) group.position = position;
    group.commit = commit;
    group.runs.push_back(entry.summary);
  }
  for (const auto& [key, by_commit] : groups) {
    std::vector<const Group*> order;
    for (const auto& [commit, group] : by_commit) order.push_back(&group);
    std::ranges::stable_sort(order, {}, [](const Group* group) { return group->position; });
    RankHistory history{.ranks = key.first, .program = key.second, .points = {}, .changed = {}};
    for (const Group* group : order) {
      history.points.push_back({group->commit, merged(group->runs)});
    }
    result.by_ranks.push_back(std::move(history));
  }
  find_changes(result);
  return result;
}

}  // namespace slackline
