#pragma once

#include <cstddef>
#include <vector>

#include "analysis/phases/prepared_series.h"

namespace slackline {

/// The borders of the levels that explain a series best, with a trend where that explains more for
/// its price, which is then the series'. A change costs `penalty`. O(steps * log steps), and for
/// series with changes up to O(min(steps, 2048)^2).
std::vector<std::size_t> fit_levels(PreparedSeries& series, double penalty);

/// Steps that are segmented; more are averaged.
inline constexpr std::size_t kMostSteps = 2048;

}  // namespace slackline
