#pragma once

#include <vector>

#include "analysis/phases/monitor.h"
#include "trace/trace_extras.h"

namespace slackline {

/// The efficiencies of fixed windows, and the cumulative transfer efficiency of a rank, as curves
/// over a timeline of the trace: each window's value stands from its begin on.
std::vector<TimelineCounter> efficiency_counters(const Trace& trace,
                                                 const EfficiencyCurves& curves);

}  // namespace slackline
