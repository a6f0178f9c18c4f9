#pragma once

#include <string_view>

namespace slackline {

/// What a number is, so that each writer can show it: people read "4.636 us", scripts 4635.943.
enum class Unit {
  none,   ///< text, or a number without unit
  count,  ///< a whole number of things
  ns,     ///< a time in nanoseconds
  bytes,
  ratio,   ///< 0.031, shown as 3.1 %
  points,  ///< a difference of ratios: -0.054, shown as -5.4 pp (percentage points)
};

/// As in JSON: "ns".
std::string_view name_of(Unit unit);

}  // namespace slackline
