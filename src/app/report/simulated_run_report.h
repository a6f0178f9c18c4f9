#pragma once

#include "analysis/model/prediction.h"
#include "page/simulated_run.h"
#include "report/report.h"
#include "trace/trace.h"

namespace slackline {

/// What a report says of a simulated run beside what it says of the measured and of the predicted
/// one: the judgement of contention, links, operations and ranks; `simulation` in the result.
Report simulated_run_report(const SimulatedRun& run, const Trace& trace,
                            const Prediction& prediction);

}  // namespace slackline
