#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/loggops/loggops.h"

namespace slackline {

/// Where each rank is in the noise pattern, in ticks. Cost of a question: O(log interruptions).
class NoiseClock {
 public:
  NoiseClock(const NoisePattern& pattern, std::size_t ranks, std::int64_t ticks_per_ns);

  /// How much longer an operation of `rank` takes that begins at `begin` and would last `length`:
  /// the rest of an interruption that has begun, and all that begin meanwhile.
  std::int64_t during(std::uint32_t rank, std::int64_t begin, std::int64_t length) const {
    return begins_.empty() ? 0 : interruptions(rank, begin, length);
  }

 private:
  std::int64_t interruptions(std::uint32_t rank, std::int64_t begin, std::int64_t length) const;
  std::int64_t begun_before(std::int64_t position) const;

  std::vector<std::int64_t> begins_;
  std::vector<std::int64_t> lengths_before_;  // of all interruptions before each
  std::vector<std::int64_t> lengths_;
  std::vector<std::int64_t> offset_;  // by rank
  std::int64_t period_ = 1;
};

}  // namespace slackline
