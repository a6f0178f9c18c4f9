#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace slackline {

/// A sample of a series of several signals.
using SignalSample = std::array<double, 3>;

struct ChangePoint {
  std::size_t at;     ///< index of the first sample after the change
  double confidence;  ///< 0.5 to 1: how far the fit's gain exceeds what noise would give
};

/// Where the level of the signals changes: the piecewise constant function with the least squared
/// error plus a price for each change, which grows with the noise of neighbouring samples (at least
/// `noise_floor`) and the logarithm of the length. Exact dynamic programming, O(samples^2).
std::vector<ChangePoint> change_points(const std::vector<SignalSample>& samples,
                                       double noise_floor);

}  // namespace slackline
