#pragma once

#include "trace/trace_builder.h"

namespace slackline {

/// Sees to what every analysis takes for granted of times: no rank has calls from before its start,
/// and a thread's call neither begins before the one before it has ended nor ends before it begins.
/// Where a trace says otherwise, starts and ends give way, and Findings tell. Of untimed traces
/// only starts are looked at. Linear, ranks in threads.
void mend_time_order(TraceBuilder& trace);

/// Throws Error where ranks start and end further apart than kTimeLimit_ns: differences and sums of
/// such times are beyond what analyses and other formats can hold.
void check_time_span(const Trace& trace);

}  // namespace slackline
