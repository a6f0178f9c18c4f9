#include "trace/goal/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace slackline {

namespace {

constexpr std::size_t kShownOfCycle = 12;

}  // namespace

GoalOrder::GoalOrder(const GoalProgram& program, const GoalMatches& matches,
                     std::uint64_t eager_threshold_bytes)
    : program_(program), matches_(matches), threshold_(eager_threshold_bytes) {
  predecessors_.reserve(program.ranks.size());
  for (const GoalRank& rank : program.ranks) {
    predecessors_.push_back(GoalAdjacency::predecessors(rank));
    for (std::uint32_t i = 0; !threshold_matters_ && i < rank.size(); ++i) {
      threshold_matters_ = rank.kind(i) == GoalKind::send && rank.operation_size(i) > threshold_;
    }
  }
}

GoalPlace GoalOrder::partner(GoalPlace p) const {
  const std::uint32_t other = matches_.partner(number(p));
  const std::uint32_t peer = program_.ranks[p.rank].peer(p.index);
  const std::uint32_t rank = peer != kGoalAny ? peer : matches_.rank_of(other);
  return {rank, other - matches_.first(rank)};
}

bool GoalOrder::resolve(std::uint32_t rank, GoalAdjacency::Entry entry, GoalMoment& moment) const {
  for (;;) {
    moment.place = {rank, entry.operation};
    const bool send = kind(moment.place) == GoalKind::send;
    if (!entry.on_start) {
      moment.step = send && rendezvous(moment.place) ? GoalStep::completed : GoalStep::done;
      return true;
    }
    if (send) {
      moment.step = GoalStep::done;
      return true;
    }
    const auto before = predecessors(moment.place);
    if (before.empty()) return false;
    if (before.size() > 1) {
      moment.step = GoalStep::start;
      return true;
    }
    entry = before.front();
  }
}

GoalOrder::Wait GoalOrder::waits_for(const GoalMoment& m, std::uint32_t k,
                                     GoalMoment& other) const {
  if (m.step == GoalStep::completed) {
    if (k == 0) other = {m.place, GoalStep::done};
    if (k == 1) other = {partner(m.place), GoalStep::start};
    return k < 2 ? Wait::other : Wait::none;
  }
  const auto before = predecessors(m.place);
  if (k < before.size()) {
    return resolve(m.place.rank, before[k], other) ? Wait::other : Wait::nothing;
  }
  if (k > before.size() || m.step == GoalStep::start || kind(m.place) != GoalKind::recv) {
    return Wait::none;
  }
  other = {partner(m.place), rendezvous(m.place) ? GoalStep::completed : GoalStep::done};
  return Wait::other;
}

void GoalOrder::fail_cycle(const std::vector<Frame>& stack, const GoalMoment& again) const {
  const auto begin = std::ranges::find_if(stack, [&](const Frame& f) {
    return number(f.moment.place) == number(again.place) && f.moment.step == again.step;
  });
  std::string shown;
  std::size_t count = 0;
  const auto add = [&](const GoalMoment& m) {
    static constexpr std::string_view kNames[] = {"send", "recv", "calc"};
    shown += fmt::format("{}{} {} of rank {}", shown.empty() ? "" : " needs ",
                         kNames[static_cast<std::size_t>(kind(m.place))], m.place.index + 1,
                         m.place.rank);
  };
  for (auto f = begin; f != stack.end() && count < kShownOfCycle; ++f, ++count) add(f->moment);
  if (static_cast<std::size_t>(stack.end() - begin) > kShownOfCycle) shown += " needs ...";
  add(again);
  throw Error("the program deadlocks",
              fmt::format("a cycle of {} operations, numbered as in their rank blocks: {}",
                          stack.end() - begin, shown),
              threshold_matters_ ? "Remove a dependency, or check whether a larger -S resolves it."
                                 : "Remove one of these dependencies.");
}

}  // namespace slackline
