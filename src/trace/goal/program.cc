#include "trace/goal/program.h"

#include <algorithm>
#include <utility>

namespace slackline {

void GoalRank::shrink() {
  const auto fit = [](auto& vector) {
    if (vector.capacity() > vector.size() + vector.size() / 8) vector.shrink_to_fit();
  };
  fit(operations_);
  fit(dependencies_);
}

void GoalRank::sort_dependencies() {
  if (std::ranges::is_sorted(dependencies_, {}, &GoalDependency::dependent)) return;
  std::vector<std::uint32_t> next(size() + std::size_t{1}, 0);
  for (const GoalDependency& d : dependencies_) ++next[d.dependent + std::size_t{1}];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  BigVector<GoalDependency> sorted(dependencies_.size());
  for (const GoalDependency& d : dependencies_) sorted[next[d.dependent]++] = d;
  dependencies_ = std::move(sorted);
}

/// A counting sort, which keeps the order within each list.
template <class Key, class Value>
GoalAdjacency GoalAdjacency::by(const GoalRank& rank, Key key, Value value) {
  GoalAdjacency result;
  std::vector<std::uint32_t>& first = result.first_;
  first.assign(rank.size() + std::size_t{2}, 0);
  // Shifted by two, so that filling moves each start to where the next list begins.
  for (const GoalDependency& d : rank.dependencies()) ++first[key(d) + std::size_t{2}];
  for (std::size_t i = 2; i < first.size(); ++i) first[i] += first[i - 1];
  result.entries_.resize(rank.dependencies().size());
  for (const GoalDependency& d : rank.dependencies()) {
    result.entries_[first[key(d) + std::size_t{1}]++] = {value(d) & GoalRank::kMostOperations,
                                                         d.on_start};
  }
  first.pop_back();
  return result;
}

GoalAdjacency GoalAdjacency::predecessors(const GoalRank& rank) {
  return by(
      rank, [](const GoalDependency& d) { return d.dependent; },
      [](const GoalDependency& d) -> std::uint32_t { return d.on; });
}

GoalAdjacency GoalAdjacency::successors(const GoalRank& rank) {
  return by(
      rank, [](const GoalDependency& d) -> std::uint32_t { return d.on; },
      [](const GoalDependency& d) { return d.dependent; });
}

std::uint64_t GoalProgram::operation_count() const {
  std::uint64_t sum = 0;
  for (const GoalRank& rank : ranks) sum += rank.size();
  return sum;
}

}  // namespace slackline
