#include "graph/goal/main_path.h"

#include <algorithm>
#include <utility>

namespace slackline {

GoalMainPath::GoalMainPath(const GoalOrder& order)
    : order_(order),
      on_path_(order.matches().operation_count(), 0),
      last_(order.program().ranks.size()) {
  for (std::uint32_t r = 0; r < last_.size(); ++r) mark_rank(r);
}

std::size_t GoalMainPath::preferred(GoalPlace place) const {
  const auto before = order_.predecessors(place);
  const auto preference = [&](GoalAdjacency::Entry e) {
    const bool computes =
        e.on_start == 0 && order_.kind({place.rank, e.operation}) == GoalKind::calc;
    return std::pair(computes, std::uint32_t{e.operation});
  };
  const auto best = std::ranges::max_element(before, {}, preference);
  return static_cast<std::size_t>(best - before.begin());
}

void GoalMainPath::mark_rank(std::uint32_t rank) {
  const GoalRank& block = order_.program().ranks[rank];
  std::vector<char> needed(block.size(), 0);
  for (const GoalDependency& d : block.dependencies()) {
    // Waiting for its start says nothing of its end, but for a send that needs nobody.
    const GoalPlace on{rank, d.on};
    const bool eager_send = order_.kind(on) == GoalKind::send && !order_.rendezvous(on);
    if (d.on_start == 0 || eager_send) needed[d.on] = 1;
  }
  std::vector<std::uint32_t>& last = last_[rank];
  for (std::uint32_t i = 0; i < block.size(); ++i) {
    if (needed[i] == 0) last.push_back(i);
  }
  if (last.empty()) return;
  const auto computes = std::ranges::find_if(
      last.rbegin(), last.rend(), [&](std::uint32_t i) { return block.kind(i) == GoalKind::calc; });
  std::swap(last.front(), computes != last.rend() ? *computes : last.back());
  GoalMoment at;
  GoalAdjacency::Entry entry{last.front() & GoalRank::kMostOperations, 0};
  while (order_.resolve(rank, entry, at)) {
    const auto mark = [&] {
      on_path_[order_.number(at.place)] |=
          static_cast<std::uint8_t>(1 << static_cast<int>(at.step));
    };
    mark();
    if (at.step == GoalStep::completed) {
      at.step = GoalStep::done;
      mark();
    }
    const auto before = order_.predecessors(at.place);
    if (before.empty()) return;
    entry = before[preferred(at.place)];
  }
}

}  // namespace slackline
