#pragma once

#include "calls/clock_estimate.h"
#include "report/report.h"
#include "trace/trace.h"

namespace slackline {

/// Adds what was added to each clock and what is feasible: a section `clocks` with those that were
/// moved most, and all of them under `clocks` in the result.
void add_clocks(const ClockEstimate& estimate, const Trace& trace, Report& report);

}  // namespace slackline
