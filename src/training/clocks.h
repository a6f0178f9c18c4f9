#pragma once

#include "training/training_run.h"

namespace slackline {

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

}  // namespace slackline
