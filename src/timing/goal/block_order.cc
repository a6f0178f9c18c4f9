#include "timing/goal/block_order.h"

#include <algorithm>

namespace slackline {

GoalBlockOrder::GoalBlockOrder(const GoalRank& rank) {
  const auto back = [](const GoalDependency& d) { return d.on < d.dependent; };
  if (std::ranges::all_of(rank.dependencies(), back)) return;
  first_.assign(rank.size() + std::size_t{1}, 0);
  for (const GoalDependency& d : rank.dependencies()) ++first_[d.dependent + std::size_t{1}];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  order_.reserve(rank.size());
  std::vector<char> state(rank.size(), 0);
  for (std::uint32_t i = 0; i < rank.size() && exists_; ++i) {
    if (state[i] == 0) exists_ = search(rank, i, state);
  }
}

/// Depth first, in the order of the block.
bool GoalBlockOrder::search(const GoalRank& rank, std::uint32_t root, std::vector<char>& state) {
  constexpr char kOpen = 1;
  constexpr char kClosed = 2;
  struct Frame {
    std::uint32_t operation;
    std::uint32_t next;
  };
  std::vector<Frame> stack{{root, first_[root]}};
  state[root] = kOpen;
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next == first_[top.operation + std::size_t{1}]) {
      order_.push_back(top.operation);
      state[top.operation] = kClosed;
      stack.pop_back();
      continue;
    }
    const std::uint32_t on = rank.dependencies()[top.next++].on;
    if (state[on] == kOpen) return false;
    if (state[on] == kClosed) continue;
    state[on] = kOpen;
    stack.push_back({on, first_[on]});
  }
  return true;
}

}  // namespace slackline
