#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace slackline {

/// The largest factor by which something can grow worse while a program's makespan stays within a
/// degradation, as far as simulation can tell.
struct SimulatedTolerance {
  double degradation = 0;  ///< 0.01: 1 %
  double factor = 1;       ///< the largest one found within it
  double beyond = 1;       ///< the next one tried, which is not within it
  bool unlimited = false;  ///< nothing that was tried exceeds it
};

struct ToleranceSearch {
  double base = 0;  ///< makespan at factor 1
  std::vector<SimulatedTolerance> tolerances{};
  std::vector<std::pair<double, double>> tried{};  ///< factor and makespan, ascending
  bool monotone = true;                            ///< among what was tried, worse was never faster
};

/// Looks for the first crossing of each degradation from factor 1 upwards, by steps that double and
/// then by bisection until the factor is known within `precision`. A simulated makespan is neither
/// convex nor always monotone in a link's speed, so that crossings between two samples that are
/// both within can escape; `monotone` tells whether anything like that was seen.
/// `makespan(factor)` is evaluated about 20 + 7 times a degradation.
ToleranceSearch search_tolerances(const std::function<double(double)>& makespan,
                                  const std::vector<double>& degradations, double largest = 1 << 16,
                                  double precision = 0.01);

}  // namespace slackline
