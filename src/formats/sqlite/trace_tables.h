#pragma once

#include <vector>

#include "calls/call_matching.h"
#include "formats/sqlite/virtual_table.h"
#include "trace/trace.h"

namespace slackline {

/// The tables of a trace (doc/formats/sqlite.md), in the order in which files have them. They refer
/// to both. O(collectives + region events); cells are computed when they are asked for.
std::vector<SqlTable> trace_tables(const Trace& trace, const CallMatching& matching);

}  // namespace slackline
