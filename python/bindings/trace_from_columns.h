#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calls/run_span.h"
#include "trace/trace.h"

namespace slackline::python {

/// The calls of a trace that comes from elsewhere, as columns of one length. Those of each rank
/// stand in its program's order. Empty columns have Call's defaults.
struct CallColumns {
  std::vector<std::int32_t> rank{};
  std::vector<std::int32_t> operation{};  ///< codes into `operations`
  std::vector<std::string> operations{};  ///< "MPI_Isend" or "isend"
  std::vector<std::int64_t> begin_ns{}, end_ns{};
  std::vector<std::uint64_t> bytes{};
  std::vector<std::int32_t> peer{}, tag{};
  std::vector<std::uint32_t> comm{}, request{};
  std::vector<std::uint16_t> thread{};
  std::vector<std::uint8_t> flags{};
  /// Arguments of call i: args[first_arg[i]] until args[first_arg[i + 1]].
  std::vector<std::int64_t> args{};
  std::vector<std::int64_t> first_arg{};
};

/// Visits of user regions; of each rank properly nested.
struct RegionColumns {
  std::vector<std::int32_t> rank{};
  std::vector<std::int32_t> region{};  ///< codes into `regions`
  std::vector<std::string> regions{};
  std::vector<std::int64_t> begin_ns{}, end_ns{};
};

/// A timed trace of `ranks` ranks. `communicators` are those from number 2 on, as world ranks.
/// Calls out of order are put in order when the trace is opened. Throws usage Error for a rank, a
/// communicator or an operation that does not exist.
Trace trace_from_columns(std::int32_t ranks, const CallColumns& calls, const RegionColumns& regions,
                         const std::vector<std::vector<std::int32_t>>& communicators);

/// `from` with other columns of its calls, of which there is a row for each, by rank and in the
/// order of the program. Everything else is as it was: arguments, call paths, regions, counters,
/// pauses. Throws usage Error as trace_from_columns().
Trace with_columns(Trace from, const CallColumns& columns);

}  // namespace slackline::python
