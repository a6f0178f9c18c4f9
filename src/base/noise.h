#pragma once

#include <cstdint>

namespace slackline {

/// Random additions to lengths of time, reproducible by their seed.
struct Noise {
  double share = 0;          ///< of the length
  double time = 0;           ///< whatever the length, in its unit
  bool exponential = false;  ///< that much on average; else at most, evenly distributed
  std::uint64_t seed = 1;

  bool none() const { return share == 0 && time == 0; }

  /// What the number-th length of a stream, more than 0, is to be multiplied with.
  double factor(double length, std::uint64_t stream, std::uint64_t number) const;
};

}  // namespace slackline
