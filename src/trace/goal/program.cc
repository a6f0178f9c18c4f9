#include "trace/goal/program.h"

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace slackline {
namespace {

bool same_rank(const GoalRank& a, const GoalRank& b) {
  if (a.size() != b.size()) return false;
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return std::ranges::equal(a.dependencies(), b.dependencies());
}

}  // namespace

std::uint32_t GoalRank::add(const GoalOperation& operation) {
  expects(size() < kMostOperations, "a GOAL rank block has fewer than two billion operations");
  const bool wide = operation.size > std::numeric_limits<std::uint32_t>::max();
  const auto size_field = static_cast<std::uint32_t>(wide ? wide_sizes_.size() : operation.size);
  if (wide) wide_sizes_.push_back(operation.size);
  operations_.push_back({.size = size_field,
                         .peer = operation.peer,
                         .tag = operation.tag,
                         .kind = operation.kind,
                         .cpu = operation.cpu,
                         .nic = operation.nic,
                         .wide = static_cast<std::uint8_t>(wide)});
  return size() - 1;
}

void GoalRank::shrink() {
  operations_.shrink_to_fit();
  dependencies_.shrink_to_fit();
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

bool same_program(const GoalProgram& a, const GoalProgram& b) {
  return std::ranges::equal(a.ranks, b.ranks, same_rank);
}

}  // namespace slackline
