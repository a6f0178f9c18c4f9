#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "trace/goal/program.h"

namespace slackline {

/// An operation and its rank.
struct GoalPlace {
  std::uint32_t rank = 0;
  std::uint32_t index = 0;  ///< in its rank's block
};

/// Moments in the life of an operation.
enum class GoalStep : std::uint8_t {
  done,       ///< calc and receive: finished; send: handed over
  start,      ///< all that it requires is done; only where somebody asks (see GoalOrder)
  completed,  ///< of a send that waits for its receiver
};

/// A moment that another one waits for.
struct GoalMoment {
  GoalPlace place;
  GoalStep step = GoalStep::done;
};

/// Orders all operations of a program, so that each comes after what it waits for.
///
/// The order follows one rank for as long as it can and turns to another one for a message only: a
/// depth-first search, taking each rank's operations in the order of the file. Beside `done`, the
/// step `start` appears for calcs and receives with several dependencies on which others depend by
/// `irequires`, and for receives of rendezvous messages; `completed` for every send of more than
/// `eager_threshold_bytes`.
///
/// O(operations + dependencies); beside the program 1 byte an operation and 8 a dependency.
class GoalOrder {
 public:
  GoalOrder(const GoalProgram& program, const GoalMatches& matches,
            std::uint64_t eager_threshold_bytes);

  const GoalProgram& program() const { return program_; }
  const GoalMatches& matches() const { return matches_; }
  std::uint32_t number(GoalPlace p) const { return matches_.first(p.rank) + p.index; }
  GoalKind kind(GoalPlace p) const { return program_.ranks[p.rank].kind(p.index); }
  std::uint64_t size(GoalPlace p) const { return program_.ranks[p.rank].operation_size(p.index); }
  std::span<const GoalAdjacency::Entry> predecessors(GoalPlace p) const {
    return predecessors_[p.rank].of(p.index);
  }
  /// Send or receive of a message over the threshold. The sender's size decides.
  bool rendezvous(GoalPlace p) const {
    return threshold_matters_ && size(kind(p) == GoalKind::recv ? partner(p) : p) > threshold_;
  }
  GoalPlace partner(GoalPlace p) const;

  /// What a dependency waits for. False: for nothing but the rank's start.
  bool resolve(std::uint32_t rank, GoalAdjacency::Entry entry, GoalMoment& moment) const;

  /// Calls visit(moment) for every moment. Throws Error with the cycle if there is one.
  template <class Visit>
  void walk(Visit visit);

 private:
  struct Frame {
    GoalMoment moment;
    std::uint32_t next;  // which of the things it waits for
  };
  enum State : std::uint8_t { unseen = 0, open = 1, closed = 2 };

  /// The k-th thing that `m` waits for. False when there are no more; `other` untouched when the
  /// k-th is a rank's start.
  enum class Wait : std::uint8_t { none, nothing, other };
  Wait waits_for(const GoalMoment& m, std::uint32_t k, GoalMoment& other) const;

  State state(const GoalMoment& m) const {
    return static_cast<State>(state_[number(m.place)] >> (2 * static_cast<int>(m.step)) & 3);
  }
  void set_state(const GoalMoment& m, State state) {
    const int shift = 2 * static_cast<int>(m.step);
    std::uint8_t& byte = state_[number(m.place)];
    byte = static_cast<std::uint8_t>((byte & ~(3 << shift)) | state << shift);
  }
  [[noreturn]] void fail_cycle(const std::vector<Frame>& stack, const GoalMoment& again) const;

  const GoalProgram& program_;
  const GoalMatches& matches_;
  std::uint64_t threshold_;
  bool threshold_matters_ = false;
  std::vector<GoalAdjacency> predecessors_;
  std::vector<std::uint8_t> state_;  // two bits a step
};

template <class Visit>
void GoalOrder::walk(Visit visit) {
  state_.assign(matches_.operation_count(), 0);
  std::vector<Frame> stack;
  const auto search = [&](const GoalMoment& root) {
    stack.push_back({root, 0});
    set_state(root, open);
    while (!stack.empty()) {
      Frame& top = stack.back();
      GoalMoment other;
      const Wait wait = waits_for(top.moment, top.next++, other);
      if (wait == Wait::nothing) continue;
      if (wait == Wait::none) {
        visit(top.moment);
        set_state(top.moment, closed);
        stack.pop_back();
        continue;
      }
      const State seen = state(other);
      if (seen == closed) continue;
      if (seen == open) fail_cycle(stack, other);
      set_state(other, open);
      stack.push_back({other, 0});
    }
  };
  for (std::uint32_t r = 0; r < program_.ranks.size(); ++r) {
    for (std::uint32_t i = 0; i < program_.ranks[r].size(); ++i) {
      const GoalPlace place{r, i};
      if (state({place, GoalStep::done}) == unseen) search({place, GoalStep::done});
      if (kind(place) != GoalKind::send || !rendezvous(place)) continue;
      if (state({place, GoalStep::completed}) == unseen) search({place, GoalStep::completed});
    }
  }
}

}  // namespace slackline
