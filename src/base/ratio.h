#pragma once

namespace slackline {

/// `part` of `whole`; 0 where there is no whole.
constexpr double ratio_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

}  // namespace slackline
