#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timing/passes/kernel.h"

namespace slackline::passes {

/// kLanes numbers a slot, all zero, aligned as vectors want them.
class LaneState {
 public:
  explicit LaneState(std::size_t slots) : lanes_(slots) {}
  std::int64_t* data() { return lanes_.front().values; }
  const std::int64_t* lanes(std::size_t slot) const { return lanes_[slot].values; }

 private:
  struct alignas(64) Slot {
    std::int64_t values[kLanes] = {};
  };
  std::vector<Slot> lanes_;
};

}  // namespace slackline::passes
