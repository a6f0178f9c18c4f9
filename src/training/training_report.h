#pragma once

#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "training/training_analysis.h"

namespace slackline {

using TrainingJson = JsonOf<struct TrainingJsonTag>;
const JsonType& declared_type(const TrainingJsonTag*);
/// Steps, ranks, stragglers and the collectives with the longest waiting, as tables and for
/// scripts.
Described<TrainingJson> describe(const TrainingRun& run, const TrainingAnalysis& analysis);

}  // namespace slackline
