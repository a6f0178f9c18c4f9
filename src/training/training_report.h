#pragma once

#include "report/report.h"
#include "training/training_analysis.h"

namespace slackline {

/// Steps, ranks, stragglers and the collectives with the longest waiting, as tables and for
/// scripts.
Report describe(const TrainingRun& run, const TrainingAnalysis& analysis);

}  // namespace slackline
