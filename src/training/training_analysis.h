#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "training/collectives.h"
#include "training/rank_work.h"
#include "training/step_times.h"
#include "training/training_run.h"

namespace slackline {

/// A step over all ranks that recorded it.
struct TrainingStep {
  struct OfRank {
    std::int32_t rank = 0;
    StepTime time{};
    std::int64_t waiting_ns = 0;  ///< in collectives, for their last rank
    std::int64_t caused_ns = 0;   ///< the waiting of other ranks that this one caused
  };
  std::int64_t step = 0;
  std::vector<OfRank> ranks{};
  std::int64_t duration_ns = 0;               ///< the longest of the ranks'
  std::int64_t exposed_communication_ns = 0;  ///< mean of the ranks'
  std::int64_t idle_ns = 0;                   ///< mean of the ranks'
  /// The rank that the others waited for the longest in sum; the lowest of several. Empty if
  /// nobody waited.
  std::optional<std::int32_t> straggler_rank{};
};

/// A rank that others waited for.
struct Straggler {
  std::int32_t rank = 0;
  std::int64_t caused_ns = 0;
  double share = 0;               ///< of the waiting in all collectives
  std::uint64_t collectives = 0;  ///< to which it came last and others waited
  /// Where it spent the most time beyond that of the first rank to come, between the collective
  /// before and this one; empty if it never did.
  std::optional<TrainingPlace> place{};
  std::int64_t excess_ns = 0;  ///< there, in sum
};

struct TrainingAnalysis {
  std::vector<TrainingStep> steps{};    ///< by number
  std::vector<Straggler> stragglers{};  ///< by share, descending
  std::vector<TrainingCollective> collectives{};
  std::int64_t waiting_ns = 0;  ///< in all collectives
  Findings findings{};
};

/// Steps, collectives and stragglers of a run. O(n log n) for n records.
TrainingAnalysis analyse_training(const TrainingRun& run);

}  // namespace slackline
