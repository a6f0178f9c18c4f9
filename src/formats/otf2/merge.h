#pragma once

#include <vector>

#include "formats/otf2/location_reader.h"

namespace slackline::otf2 {

/// One rank's calls from its locations'. Regions are those of the first location (the main
/// thread's), and still numbered by definition. `bare` holds the calls to be resolved when all
/// ranks are read.
struct RankCallsRead {
  RankCallsBuilder calls;
  std::vector<std::uint32_t> bare;
  std::vector<std::vector<std::uint64_t>> counters;  ///< as in LocationCalls
  std::vector<std::uint32_t> sent_after_ns;          ///< as in SendRecords
  Findings findings;
  bool present = false;
  bool initialized = false;
  bool finalized = false;
};

RankCallsRead merge_locations(std::vector<LocationCalls> locations);

}  // namespace slackline::otf2
