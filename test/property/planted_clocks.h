#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace slackline::testing {

/// A run whose true times are known, and the clocks that it was measured with.
struct PlantedClocks {
  Trace truth;
  Trace measured;
  std::vector<std::int64_t> offsets;  ///< of each rank; half of the clocks have none
  std::vector<double> drifts;         ///< of each rank
};

/// Two to seven ranks, in every third program two a host, with messages, barriers and broadcasts in
/// some milliseconds; offsets up to 100 ms, drifts up to `most_drift`.
PlantedClocks plant_clocks(std::uint64_t seed, double most_drift);

}  // namespace slackline::testing
