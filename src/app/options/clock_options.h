#pragma once

#include "calls/clock_correction.h"

namespace slackline {

/// Whether the clocks of a measured run are corrected.
struct ClockOptions {
  bool fix = false;   ///< wherever calls run back in time
  bool keep = false;  ///< never

  /// `otherwise`: where nothing was asked for.
  ClockPolicy policy(ClockPolicy otherwise) const {
    if (fix) return ClockPolicy::always;
    return keep ? ClockPolicy::as_read : otherwise;
  }
};

}  // namespace slackline
