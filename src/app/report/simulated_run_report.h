#pragma once

#include "analysis/model/prediction.h"
#include "page/simulated_run.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "trace/trace.h"

namespace slackline {

using SimulatedRunJson = JsonOf<struct SimulatedRunJsonTag>;
const JsonType& declared_type(const SimulatedRunJsonTag*);
/// What a report says of a simulated run beside what it says of the measured and of the predicted
/// one: the judgement of contention, links, operations and ranks; `simulation` in the result.
Described<SimulatedRunJson> simulated_run_report(const SimulatedRun& run, const Trace& trace,
                                                 const Prediction& prediction);

}  // namespace slackline
