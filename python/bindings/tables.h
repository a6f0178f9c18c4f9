#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bindings/call_selection.h"
#include "bindings/column.h"
#include "bindings/opened.h"

namespace slackline::python {

// The tables of a trace; python/slackline/trace.py documents their columns.

/// Those of the calls, in their order.
std::vector<std::string> call_column_names();
/// One of them. Where the selected calls are all of the trace, or consecutive ones, most are the
/// trace's own arrays and cost nothing; else O(rows). `opened` is kept alive by the result.
Column call_column(const OpenedPtr& opened, const CallSelection& selection,
                   const std::string& name);
/// Messages that a rank in the filter sends or receives, and whose sending call lies in its
/// interval.
Columns messages_table(const Opened& opened, const CallFilter& filter);
/// Collectives, as one row each, in which a rank in the filter takes part.
Columns collectives_table(const Opened& opened, const CallFilter& filter);
Columns communicators_table(const Opened& opened);
/// Further arguments of calls (Call::args), a row for each.
Columns arguments_table(const Opened& opened, const CallFilter& filter);
/// Visits of regions.
Columns regions_table(const Opened& opened, const CallFilter& filter);
/// Hardware counters, a row for each computation before a call.
Columns counters_table(const Opened& opened, const CallFilter& filter);
/// Samples of computation, where a recording has them.
Columns samples_table(const Opened& opened, const CallFilter& filter);
/// What a statement of SQLite's selects from the trace. Throws usage Error with what SQLite says.
Columns query_table(const Opened& opened, const std::string& sql);
/// Messages and their bytes by pair of ranks, of pairs that exchange any.
Columns comm_matrix_table(const Opened& opened);
Columns findings_table(const Findings& findings);

/// Exclusive times by rank and name. This and the next ones throw Error for an untimed trace.
Columns flat_profile_table(const Opened& opened);
/// The same by window of the filter's interval, of all ranks. Throws Error for no bins.
Columns time_profile_table(const Opened& opened, const CallFilter& filter, std::int64_t bins);
/// Call paths and what runs in each itself; of untimed traces without times.
Columns call_tree_table(const Opened& opened);
/// Messages by size, and by time within the filter's interval.
Columns message_sizes_table(const Opened& opened, std::int64_t bins);
Columns comm_over_time_table(const Opened& opened, const CallFilter& filter, std::int64_t bins);

/// Wait states. Throws Error for an untimed trace.
Columns wait_states_table(const Opened& opened, std::optional<std::uint64_t> eager_bytes);
/// Segments of the critical path. Throws Error for an untimed trace.
Columns critical_path_table(const Opened& opened);

}  // namespace slackline::python
