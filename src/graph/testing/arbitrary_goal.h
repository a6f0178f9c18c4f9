#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trace/goal/program.h"

namespace slackline::testing {

/// L, o and G in whole ns.
struct WholeModel {
  std::int64_t latency_ns;
  std::int64_t overhead_ns;
  std::int64_t gap_ns;
};

/// A program without cycles: every rank's dependencies go back in its block, and messages are sent
/// in one global order in which each block is a subsequence.
inline GoalProgram arbitrary_goal_program() {
  using rc::gen::inRange;
  const auto ranks = *inRange<std::uint32_t>(1, 5);
  GoalProgram program;
  program.ranks.resize(ranks);
  const auto depend = [&](GoalRank& rank, std::uint32_t operation) {
    for (int k = *inRange(0, 4); k > 0 && operation > 0; --k) {
      rank.add_dependency(operation, *inRange<std::uint32_t>(0, operation),
                          *rc::gen::arbitrary<bool>());
    }
  };
  for (int i = *inRange(1, 40); i > 0; --i) {
    GoalRank& rank = program.ranks[*inRange<std::uint32_t>(0, ranks)];
    if (*inRange(0, 2) == 0) {
      depend(rank, rank.add({.size = *inRange<std::uint64_t>(0, 5000)}));
      continue;
    }
    const auto from = static_cast<std::uint32_t>(&rank - program.ranks.data());
    const auto to = *inRange<std::uint32_t>(0, ranks);
    const auto tag = *inRange<std::uint32_t>(0, 2);
    const auto bytes = *inRange<std::uint64_t>(0, 40);
    depend(rank, rank.add({.kind = GoalKind::send, .peer = to, .tag = tag, .size = bytes}));
    GoalRank& other = program.ranks[to];
    depend(other, other.add({.kind = GoalKind::recv, .peer = from, .tag = tag, .size = bytes}));
  }
  return program;
}

/// Algorithm 1 by relaxation: all start and end times grow until nothing changes. Knows nothing of
/// orders, vertices and folding.
inline std::vector<std::int64_t> relaxed_ends(const GoalProgram& program, const WholeModel& m) {
  const GoalMatches matches(program, "x.goal", 1);
  std::vector<std::int64_t> start(matches.operation_count(), 0);
  std::vector<std::int64_t> end(matches.operation_count(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    const auto raise = [&](std::int64_t& value, std::int64_t to) {
      if (to <= value) return;
      value = to;
      changed = true;
    };
    for (std::uint32_t r = 0; r < program.ranks.size(); ++r) {
      const GoalRank& rank = program.ranks[r];
      const std::uint32_t base = matches.first(r);
      for (const GoalDependency& d : rank.dependencies()) {
        const bool send = rank.kind(d.on) == GoalKind::send;
        raise(start[base + d.dependent],
              d.on_start != 0 && !send ? start[base + d.on] : end[base + d.on]);
      }
      for (std::uint32_t i = 0; i < rank.size(); ++i) {
        const GoalOperation op = rank[i];
        std::int64_t ready = start[base + i];
        if (op.kind == GoalKind::recv) {
          const std::uint32_t send = matches.partner(base + i);
          const std::int64_t network =
              matches.rank_of(send) == r
                  ? 0
                  : m.latency_ns +
                        std::max<std::int64_t>(0, static_cast<std::int64_t>(op.size) - 1) *
                            m.gap_ns;
          ready = std::max(ready, end[send] + network);
        }
        raise(end[base + i], ready + (op.kind == GoalKind::calc ? static_cast<std::int64_t>(op.size)
                                                                : m.overhead_ns));
      }
    }
  }
  std::vector<std::int64_t> result;
  for (std::uint32_t r = 0; r < program.ranks.size(); ++r) {
    const auto first = end.begin() + matches.first(r);
    const auto last = end.begin() + matches.first(r) + program.ranks[r].size();
    result.push_back(first == last ? 0 : *std::max_element(first, last));
  }
  return result;
}

}  // namespace slackline::testing
