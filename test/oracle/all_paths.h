#pragma once

#include <compare>
#include <optional>
#include <vector>

#include "oracle/time_system.h"

namespace slackline::oracle {

/// The cost of a path over one parameter x in femtoseconds: intercept + slope * x.
struct Line {
  Wide intercept = 0;
  Wide slope = 0;

  auto operator<=>(const Line&) const = default;
};

/// A stretch of the upper envelope: from `begin` (a fraction of femtoseconds) on.
struct Stretch {
  Wide begin_numerator = 0;
  Wide begin_denominator = 1;
  Line line;
};

/// The lines of all paths of the system, equal ones once. Nothing when a point has more than
/// `limit`.
std::optional<std::vector<Line>> all_paths(const TimeSystem& system, const LogGPS& model,
                                           Parameter parameter, std::size_t limit);

/// The upper envelope of `lines` over [0, to_fs), by walking from each crossing to the next one.
std::vector<Stretch> upper_envelope(const std::vector<Line>& lines, Wide to_fs);

}  // namespace slackline::oracle
