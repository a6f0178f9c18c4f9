#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "sim/platform/platform.h"

namespace slackline {

/// The levels at which something happens at links, of which the lowest is wanted again and again
/// while others move up and down: a tournament, in which each node has the lower level of its two
/// below. Of equal levels the link with the lower number comes first. Cost: set() climbs as far as
/// it changes something, O(log n) at most and little on average; first() is O(log n).
class LevelQueue {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  explicit LevelQueue(std::size_t links) {
    while (leaves_ < links) leaves_ *= 2;
    lowest_.assign(2 * leaves_, kNever);
  }

  double level(LinkId link) const { return lowest_[leaves_ + link]; }
  void set(LinkId link, double level) {
    std::size_t at = leaves_ + link;
    lowest_[at] = level;
    while (at > 1) {
      const double lower = std::min(lowest_[at], lowest_[at ^ 1]);
      at /= 2;
      if (lowest_[at] == lower) return;
      lowest_[at] = lower;
    }
  }

  double lowest() const { return lowest_[1]; }
  /// The link with the lowest level, if that is not kNever.
  LinkId first() const {
    std::size_t at = 1;
    while (at < leaves_) at = 2 * at + (lowest_[2 * at] == lowest_[at] ? 0 : 1);
    return static_cast<LinkId>(at - leaves_);
  }

 private:
  std::size_t leaves_ = 1;
  std::vector<double> lowest_;  ///< the root is 1, below node i are 2 i and 2 i + 1
};

}  // namespace slackline
