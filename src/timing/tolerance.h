#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "timing/makespan.h"

namespace slackline {

/// Largest value of the parameter for which T stays within a bound.
struct Tolerance {
  std::int64_t degradation_ppm = 0;  ///< 10'000: T may grow by 1 %
  double bound_ns = 0;               ///< the makespan that must not be exceeded
  /// Empty: no value is too large, because no path pays the parameter.
  std::optional<Ticks> value;
};

/// Tolerances against T at the model's own value of the parameter, in the order of the
/// degradations, which are not negative. Usually three or four passes for all of them.
std::vector<Tolerance> find_tolerances(MakespanFunction& makespan,
                                       std::span<const std::int64_t> degradations_ppm);
/// One of them.
Tolerance find_tolerance(MakespanFunction& makespan, std::int64_t degradation_ppm);

}  // namespace slackline
