#pragma once

#include <vector>

#include "analysis/model/model_choice.h"
#include "analysis/summary/diagnosis.h"
#include "calls/call_paths.h"
#include "report/report.h"
#include "trace/trace.h"

namespace slackline {

/// Which algorithm performs which collectives, under `choice`, how often, and of a timed trace how
/// long they took (with waiting). `collectives` in the result; no section without collectives. One
/// pass over the calls.
Report collectives_report(const Trace& trace, const ModelChoice& choice);

/// Where the time goes by the user's regions (the innermost one counts), of the mean rank.
/// `regions` in the result; no section for a trace without regions.
Report regions_report(const Diagnosis& measured, const Trace& trace, const CallPaths& paths);

}  // namespace slackline
