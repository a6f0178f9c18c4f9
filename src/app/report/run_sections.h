#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/advice.h"
#include "analysis/model/model_choice.h"
#include "analysis/model/overview.h"
#include "analysis/model/prediction.h"
#include "analysis/summary/diagnosis.h"
#include "calls/call_paths.h"
#include "page/simulated_run.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "trace/trace.h"

namespace slackline {

/// What the first screen of a report is written from.
struct FirstScreenInputs {
  const Trace& trace;
  const std::string& path;    ///< of the trace, for the commands that show more
  const Diagnosis* measured;  ///< null: an untimed trace
  const Tolerances& latency;  ///< of L
  const Overview* model;      ///< in place of what was not measured; else null
  const Advice* advice;       ///< null: not computed
};

/// At most 30 lines of 100 columns as text: where the time goes, what limits the run, in which code
/// and since when, what to change and what that gains, how much latency is tolerable, how far to
/// trust it, and how to see more. Every number is one of the inputs.
Section first_screen(const FirstScreenInputs& inputs);

using CollectivesJson = JsonOf<struct CollectivesJsonTag>;
const JsonType& declared_type(const CollectivesJsonTag*);
/// Which algorithm performs which collectives, under `choice`, how often, and of a timed trace how
/// long they took (with waiting). `collectives` in the result; nothing without collectives. One
/// pass over the calls.
std::optional<Described<CollectivesJson>> collectives_report(const Trace& trace,
                                                             const ModelChoice& choice);

using RegionsJson = JsonOf<struct RegionsJsonTag>;
const JsonType& declared_type(const RegionsJsonTag*);
/// Where the time goes by the user's regions (the innermost one counts), of the mean rank.
/// `regions` in the result; nothing for a trace without regions.
std::optional<Described<RegionsJson>> regions_report(const Diagnosis& measured, const Trace& trace,
                                                     const CallPaths& paths);

/// Every counter of the trace by region or function, those with most computation; nothing for a
/// trace without counters.
std::optional<Section> counters_section(const Trace& trace, const CallPaths& paths);

using SimulatedRunJson = JsonOf<struct SimulatedRunJsonTag>;
const JsonType& declared_type(const SimulatedRunJsonTag*);
/// What a report says of a simulated run beside what it says of the measured and of the predicted
/// one: the judgement of contention, links, operations and ranks; `simulation` in the result.
Described<SimulatedRunJson> simulated_run_report(const SimulatedRun& run, const Trace& trace,
                                                 const Prediction& prediction);

}  // namespace slackline
