#pragma once

#include <string_view>
#include <vector>

#include "calls/call_matching.h"
#include "formats/open/open.h"
#include "formats/sqlite/query.h"
#include "formats/sqlite/virtual_table.h"
#include "trace/samples.h"
#include "trace/trace.h"
#include "trace/trace_extras.h"

namespace slackline {

/// The tables waits, samples, blocking_calls and critical_path of a measured run
/// (doc/formats/sqlite.md), for queries. Wait states and path are computed only if `sql` has the
/// table's name in it: else, and of an untimed trace, there are no rows. The tables refer to
/// `trace` and `samples`.
std::vector<SqlTable> analysis_tables(const Trace& trace, const CallMatching& matching,
                                      const Samples& samples, const SendRecords& sends,
                                      std::string_view sql);

/// All tables that statements can be about, with their columns and without rows.
std::vector<SqlTable> query_tables();

/// The rows of a statement over these tables and those of the trace, as query_trace() gives them.
QueryResult query_run(const OpenedTrace& opened, const CallMatching& matching, std::string_view sql,
                      const QueryLimits& limits = {});

}  // namespace slackline
