#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "training/training_run.h"

namespace slackline {

inline constexpr FindingKind kGroupsGuessed{"process_groups_guessed", Severity::notice,
                                            "Ranks whose kernels of collectives name no process "
                                            "group; all such ranks were taken as one group."};
inline constexpr FindingKind kCollectivesUnmatched{
    "collectives_unmatched", Severity::data_loss,
    "Kernels of collectives that no other rank of their process group has recorded, or sends and "
    "receives "
    "whose partner is not recorded; waiting in them is not determined."};
inline constexpr FindingKind kGpuClocksDiffer{
    "gpu_clocks_differ", Severity::notice,
    "Collectives that ended on a rank before they began on another one: the clocks of these ranks "
    "differ more than a constant correction explains, and stragglers may be others than named."};

/// One rank's kernel of a collective.
struct CollectiveKernel {
  std::uint32_t rank = 0;      ///< index in TrainingRun::ranks
  std::uint32_t activity = 0;  ///< in ProfiledRank::gpu
  TimeSpan time{};
  std::int64_t waiting_ns = 0;  ///< until the last rank came
};

/// The same collective on all recorded ranks of its group.
struct TrainingCollective {
  std::string operation{};      ///< "AllReduce"
  std::string group{};          ///< empty: guessed
  bool point_to_point = false;  ///< a send and its receive, in this order
  std::vector<CollectiveKernel> members{};
  std::uint32_t straggler = 0;   ///< in members: the last to start
  std::uint32_t first = 0;       ///< in members: the first to start
  std::int64_t waiting_ns = 0;   ///< of all members
  std::int64_t transfer_ns = 0;  ///< duration of the straggler's kernel
};

/// Whether a kernel of `late` cannot begin after one of `early` has ended: `early` needs what
/// `late` sends. Members are numbers in `collective.members`.
bool needs(const TrainingCollective& collective, std::size_t early, std::size_t late);

/// The collectives of a run, sends with their receives among them, by the begin of their last
/// member. The k-th kernels of an operation in a group are matched among the ranks that have as
/// many, sends and receives by their order between two ranks. Sends and receives without metadata
/// are an all-to-all of all ranks if all have equally many. O(n log n) for n NCCL kernels.
std::vector<TrainingCollective> match_collectives(const TrainingRun& run, Findings& findings);

inline constexpr FindingKind kGpuClocksCorrected{
    "gpu_clocks_corrected", Severity::notice,
    "Ranks whose times were shifted by a constant: their collectives had ended before they began "
    "on "
    "another rank, or ended at another time throughout."};

/// Shifts the times of ranks so that no collective ends on a rank before it began on another one
/// that it needs. The first rank stays as it is, and all do where no collective contradicts that
/// and none ends at two ranks apart by 50 us and four times the spread of these differences.
///
/// All ranks leave a collective at about the same time, so that the median difference of the ends
/// of two ranks' kernels is how far their clocks are apart; what the differences then still
/// contradict is satisfied by difference constraints, whose solution nearest to the medians is
/// taken. If there is none (clocks that drift), the medians hold, and match_collectives() counts
/// what is left. O(r^2 + c m^2) for r ranks and c collectives of m members.
void correct_clocks(TrainingRun& run);

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
