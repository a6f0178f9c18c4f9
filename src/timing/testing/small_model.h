#pragma once

#include <cstdint>

#include "base/units.h"
#include "timing/cost/loggps.h"

namespace slackline::testing {

inline constexpr std::int64_t kNs = kFemtosPerNano;

/// Parameters whose parts of a prediction can be distinguished at sight: L = 1 us, o = 10 ns, G = 1
/// ns/B.
inline constexpr LogGPS kModel{1000 * kNs, 10 * kNs, kNs};

}  // namespace slackline::testing
