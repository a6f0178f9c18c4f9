// mpi-graph's view of a run: how unbalanced its collectives are, and its critical path without any
// graph. Ranks' computation intervals are already in order of time, so a heap over the ranks merges
// them; a group ends where the next interval begins after all of the group have ended.

#include "analysis/paths/imbalance.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <span>
#include <utility>

namespace slackline {
namespace {

bool is_blocking_collective(const CollectiveInstance& c) {
  return operation_class(c.operation) == OperationClass::collective;
}

struct Bounds {
  std::int64_t last_enter = std::numeric_limits<std::int64_t>::min();
  std::int64_t first_leave = std::numeric_limits<std::int64_t>::max();
};

/// Nothing where a rank leaves before another one enters.
std::optional<Bounds> bounds_of(const Trace& trace, std::span<const CollectiveMember> members) {
  Bounds b;
  for (const CollectiveMember& m : members) {
    b.last_enter = std::max(b.last_enter, trace.calls(m.rank).begin_ns(m.enter));
    b.first_leave = std::min(b.first_leave, trace.calls(m.rank).end_ns(m.enter));
  }
  return b.first_leave < b.last_enter ? std::nullopt : std::optional(b);
}

}  // namespace

void Imbalance::add(const Imbalance& other) {
  before_ns += other.before_ns;
  after_ns += other.after_ns;
  execute_ns += other.execute_ns;
  program_ns += other.program_ns;
}

void ImbalanceSums::OfOperation::add(const OfOperation& other) {
  calls += other.calls;
  left_out += other.left_out;
  imbalance.add(other.imbalance);
}

ImbalanceSums imbalance_sums(const Trace& trace, const CallMatching& matching,
                             const RunPart& part) {
  ImbalanceSums out;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) out.ranks.push_back({r, {}});
  std::array<ImbalanceSums::OfOperation, kOperationCount> by_operation{};
  for (const CollectiveInstance& c : matching.collectives()) {
    if (!is_blocking_collective(c)) continue;
    const auto members = matching.members(c);
    if (members.size() < 2 || members.front().enter < part.lead() ||
        std::ranges::any_of(members, [](const CollectiveMember& m) { return m.enter != m.done; })) {
      continue;
    }
    auto& operation = by_operation[static_cast<std::size_t>(c.operation)];
    operation.operation = c.operation;
    const std::optional<Bounds> b = bounds_of(trace, members);
    if (!b) {
      ++operation.left_out;
      continue;
    }
    ++operation.calls;
    for (const CollectiveMember& m : members) {
      const RankCalls& calls = trace.calls(m.rank);
      const Imbalance one{.before_ns = b->last_enter - calls.begin_ns(m.enter),
                          .after_ns = calls.end_ns(m.enter) - b->first_leave,
                          .execute_ns = b->first_leave - b->last_enter};
      operation.imbalance.add(one);
      out.ranks[static_cast<std::size_t>(m.rank)].imbalance.add(one);
    }
  }
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    std::int64_t& program_ns = out.ranks[static_cast<std::size_t>(r)].imbalance.program_ns;
    for (std::size_t i = 0; i < calls.size(); ++i) program_ns += calls.gap_ns(i);
  }
  for (const auto& operation : by_operation) {
    if (operation.calls + operation.left_out > 0) out.operations.push_back(operation);
  }
  return out;
}

ImbalanceMetrics imbalance_metrics(const ImbalanceSums& sums, std::int32_t ranks) {
  ImbalanceMetrics out;
  out.ranks.resize(static_cast<std::size_t>(ranks));
  for (const ImbalanceSums::OfRank& rank : sums.ranks) {
    out.ranks[static_cast<std::size_t>(rank.rank)] = rank.imbalance;
    out.program.add(rank.imbalance);
  }
  for (const ImbalanceSums::OfOperation& of : sums.operations) {
    out.left_out += of.left_out;
    if (of.calls > 0) out.operations.push_back({of.operation, of.calls, of.imbalance});
  }
  std::ranges::stable_sort(out.operations, std::greater{},
                           [](const auto& o) { return o.imbalance.waiting_ns(); });
  return out;
}

ImbalanceMetrics imbalance_metrics(const Trace& trace, const CallMatching& matching) {
  return imbalance_metrics(imbalance_sums(trace, matching, {}), trace.ranks());
}

IntervalPath interval_path(const Trace& trace, std::int64_t threshold_ns) {
  IntervalPath out;
  using Interval = IntervalPath::Interval;
  const auto later = [](const Interval& a, const Interval& b) {
    return std::pair(a.begin_ns, a.rank) > std::pair(b.begin_ns, b.rank);
  };
  std::priority_queue<Interval, std::vector<Interval>, decltype(later)> next(later);
  const auto push_from = [&](std::int32_t rank, std::size_t call) {
    const RankCalls& calls = trace.calls(rank);
    for (; call < calls.size(); ++call) {
      const std::int64_t gap = calls.gap_ns(call);
      if (gap == 0 || gap < threshold_ns) continue;
      ++out.intervals;
      next.push(
          {calls.begin_ns(call) - gap, calls.begin_ns(call), rank, static_cast<CallIndex>(call)});
      return;
    }
  };
  for (std::int32_t r = 0; r < trace.ranks(); ++r) push_from(r, 0);
  std::int64_t group_end = std::numeric_limits<std::int64_t>::min();
  while (!next.empty()) {
    const Interval i = next.top();
    next.pop();
    push_from(i.rank, std::size_t{i.call} + 1);
    if (out.critical.empty() || i.begin_ns >= group_end) {
      out.critical.push_back(i);
    } else if (Interval& longest = out.critical.back();
               i.end_ns - i.begin_ns > longest.end_ns - longest.begin_ns) {
      longest = i;
    }
    group_end = std::max(group_end, i.end_ns);
  }
  for (const Interval& i : out.critical) out.computation_ns += i.end_ns - i.begin_ns;
  return out;
}

}  // namespace slackline
