#pragma once

#include <cstdint>
#include <vector>

#include "formats/raw/call_frames.h"
#include "formats/raw/clock_map.h"
#include "formats/raw/gap_pauses.h"
#include "formats/raw/rank_files.h"
#include "trace/parallel_regions.h"
#include "trace/trace.h"

namespace slackline::raw {

struct RegionsRead {
  ParallelRegions regions;
  std::vector<RegionLoss> losses;  ///< one for each region
};

/// The parallel regions of a rank whose calls are `calls`, at times of `clock` minus `zero_ns`, in
/// order of their ends. Their frames are the program's, not those of OpenMP's runtime. What was not
/// recorded of them, or is damaged, are Findings. O(records).
RegionsRead read_parallel_regions(const RankFiles& rank, const CallFrames& frames,
                                  const CallTree& tree, const ClockMap& clock, std::int64_t zero_ns,
                                  const RankCalls& calls, Findings& findings);

}  // namespace slackline::raw
