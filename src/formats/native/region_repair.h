#pragma once

#include <cstddef>

#include "trace/trace.h"

namespace slackline::native {

/// Makes a rank's region events nest again where some were lost: leaving a region that was not
/// entered is left out, and regions inside one that is left are left first. Regions still open at
/// the end stay open. Returns how many events were added or removed.
std::size_t repair_regions(RankCallsBuilder& calls);

}  // namespace slackline::native
