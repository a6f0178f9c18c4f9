#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
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
    std::int64_t waiting_ns = 0;          ///< in collectives, for their last rank
    std::int64_t caused_ns = 0;           ///< the waiting of other ranks that this one caused
    std::int64_t exposed_waiting_ns = 0;  ///< waiting while no kernel computed
    std::int64_t exposed_matched_ns = 0;  ///< exposed communication whose partners are known
  };
  std::int64_t step = 0;
  std::vector<OfRank> ranks{};
  std::int64_t duration_ns = 0;               ///< the longest of the ranks'
  bool has_gpu = true;                        ///< some rank's profile has kernels
  std::int64_t exposed_communication_ns = 0;  ///< mean of these ranks'
  std::int64_t idle_ns = 0;                   ///< mean of these ranks'
  /// As straggler_of() names it.
  std::optional<std::int32_t> straggler_rank{};
};

/// The part of the step time above which a delay is material: a margin above chance, as one rank is
/// always last. Jobs of test/training/generate_job.py, with kernels that vary by 1 % or by 10 %: of
/// 480 without a straggler none exceeds it (0.004 at most with 1 %, 0.041 with 10 %); of 950 that a
/// planted straggler makes longer by this part, 930 do, and no rank is named wrongly.
inline constexpr double kMaterialShare = 0.05;

/// The rank that delayed the others: it caused the most waiting, and it spent more of its step
/// outside exposed communication than the median of the others, by more than kMaterialShare of the
/// mean step time. There is none where all ranks work alike, such as in a pipeline that fills, nor
/// where less than half of the exposed communication is matched: the waiting that is not known
/// could then exceed what is. O(n).
std::optional<std::int32_t> straggler_of(const std::vector<TrainingStep::OfRank>& ranks);

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

/// Sums over the steps of each rank, ascending; their times begin at 0.
std::vector<TrainingStep::OfRank> rank_sums(const TrainingAnalysis& analysis);

/// Steps, collectives and stragglers of a run. O(n log n) for n records.
TrainingAnalysis analyse_training(const TrainingRun& run);

using TrainingJson = JsonOf<struct TrainingJsonTag>;
const JsonType& declared_type(const TrainingJsonTag*);
/// Steps, ranks, stragglers and the collectives with the longest waiting, as tables and for
/// scripts.
Described<TrainingJson> describe(const TrainingRun& run, const TrainingAnalysis& analysis);

}  // namespace slackline
