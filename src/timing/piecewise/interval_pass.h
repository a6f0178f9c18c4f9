#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "timing/cost/ticks.h"
#include "timing/passes/kernel.h"
#include "timing/piecewise/functions.h"

namespace slackline::piecewise {

/// A reduced graph, ready for passes over whole intervals of its parameter. O(edges), once.
class IntervalPasses {
 public:
  /// The program outlives this object.
  IntervalPasses(const passes::Program& program, std::uint32_t slots);

  /// All lines of T inside an interval, in order, neither twice. Values of T in the interval, and
  /// slopes, fit in 61 bits. `stop` is asked now and then; when it says true there is no result.
  ///
  /// One pass; an edge costs as many steps as the functions of its node have breakpoints (see
  /// interval_pass.cc), usually some ten. Thread-safe.
  std::optional<std::vector<PathLine>> lines(const Interval& interval,
                                             const std::function<bool()>& stop) const;

 private:
  passes::Program program_;
  std::uint32_t slots_;
  std::size_t block_;                             // nodes
  std::vector<std::vector<std::uint32_t>> live_;  // slots needed after each block
};

}  // namespace slackline::piecewise
