#pragma once

#include <cstdint>
#include <vector>

#include "training/collectives.h"

namespace slackline {

/// Waiting of other ranks in a collective that one rank caused.
struct CausedWaiting {
  std::uint32_t collective = 0;  ///< in the list that was given
  std::uint32_t rank = 0;        ///< index in TrainingRun::ranks
  std::int64_t time_ns = 0;
};

/// Who caused the waiting in each collective. That is its last rank, except for the time in which
/// that rank itself waited in an earlier collective and did not compute: this belongs to the last
/// rank of that one, and so on. The parts of a collective add up to its waiting. `collectives` as
/// match_collectives() returns them. O(w log n) for w waiting kernels of n activities, times the
/// collectives that a delay is passed on through.
std::vector<CausedWaiting> waiting_causes(const TrainingRun& run,
                                          const std::vector<TrainingCollective>& collectives);

}  // namespace slackline
