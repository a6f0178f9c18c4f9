#pragma once

#include "report/report.h"
#include "training/training_analysis.h"
#include "training/training_run.h"

namespace slackline {

/// The time line of a training run: below each rank a row for the operators and one for the
/// launches of each thread that launches, and one for each stream of the GPU. Clocks are corrected
/// already. O(n log n) for n records.
Section training_timeline(const TrainingRun& run, const TrainingAnalysis& analysis);

}  // namespace slackline
