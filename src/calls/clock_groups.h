#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace slackline {

/// Which ranks have their times from one clock.
struct ClockGroups {
  std::vector<std::uint32_t> of_rank;            ///< number of the rank's clock
  std::vector<std::vector<std::int32_t>> ranks;  ///< of each clock, ascending

  std::size_t size() const { return ranks.size(); }
};

/// Ranks of one host whose times were not corrected before have one clock (trace/one_clock.h); any
/// other rank has its own. Linear in ranks.
ClockGroups group_by_clock(const Trace& trace);
/// Each rank has its own.
ClockGroups clock_of_each_rank(const Trace& trace);

}  // namespace slackline
