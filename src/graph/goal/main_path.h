#pragma once

#include <cstdint>
#include <vector>

#include "trace/goal/order.h"

namespace slackline {

/// The main path of each rank of a GOAL program: one chain of moments from its start to its end.
///
/// A GOAL rank may do several things at once, and a breakdown of its time needs one sequence. The
/// chain goes back from the last operation and prefers computation, then what stands last in the
/// file: so it holds as much of the rank's own work as a chain can by looking back one step.
class GoalMainPath {
 public:
  explicit GoalMainPath(const GoalOrder& order);

  bool contains(const GoalMoment& m) const {
    return (on_path_[order_.number(m.place)] >> static_cast<int>(m.step) & 1) != 0;
  }
  /// Which of the dependencies of `place` the path would follow. It has at least one.
  std::size_t preferred(GoalPlace place) const;
  /// Operations of `rank` whose end nothing waits for, the path's own first.
  const std::vector<std::uint32_t>& last_operations(std::uint32_t rank) const {
    return last_[rank];
  }

 private:
  void mark_rank(std::uint32_t rank);

  const GoalOrder& order_;
  std::vector<std::uint8_t> on_path_;  // a bit a step
  std::vector<std::vector<std::uint32_t>> last_;
};

}  // namespace slackline
