#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "calls/call_matching.h"
#include "calls/call_paths.h"
#include "calls/region_visits.h"
#include "formats/tables/table.h"
#include "trace/trace.h"

namespace slackline {

// The tables of a trace (doc/formats/sqlite.md), each described once. They refer to their
// arguments.

/// The calls, a part for each rank. O(ranks); of texts O(calls of one byte each + call paths) when
/// they are first asked for. `paths` gives those of regions or functions; without it they are made.
TraceTable calls_table(const Trace& trace, std::function<const CallPaths&()> paths = {});
TraceTable messages_table(const Trace& trace, const CallMatching& matching);
TraceTable collectives_table(const Trace& trace, const CallMatching& matching);
TraceTable regions_table(const Trace& trace, std::vector<RegionVisit> visits);
TraceTable findings_table(const std::vector<Findings::Entry>& entries);

/// All of them, in the order in which files have them. O(region events + members of communicators).
std::vector<TraceTable> trace_tables(const Trace& trace, const CallMatching& matching);

}  // namespace slackline
