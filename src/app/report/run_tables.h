#pragma once

#include <optional>

#include <vector>

#include "analysis/model/model_choice.h"
#include "analysis/summary/diagnosis.h"
#include "calls/call_paths.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "trace/trace.h"

namespace slackline {

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

}  // namespace slackline
