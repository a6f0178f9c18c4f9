#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bindings/call_selection.h"
#include "bindings/column.h"
#include "bindings/opened.h"

namespace slackline::python {

// The tables of a trace but that of its calls; python/slackline/trace.py documents their columns.

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
/// Messages and their bytes by pair of ranks, of pairs that exchange any.
Columns comm_matrix_table(const Opened& opened);
Columns findings_table(const Findings& findings);

/// Wait states. Throws Error for an untimed trace.
Columns wait_states_table(const Opened& opened, std::optional<std::uint64_t> eager_bytes);
/// Segments of the critical path. Throws Error for an untimed trace.
Columns critical_path_table(const Opened& opened);

}  // namespace slackline::python
