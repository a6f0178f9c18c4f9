#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace slackline {

/// Where one rank's measured time went.
struct MeasuredParts {
  std::int64_t compute_ns = 0;  ///< outside of MPI
  std::int64_t mpi_ns = 0;
  std::int64_t wait_ns = 0;  ///< after its end, until the last rank's; and before its start
};

/// The measured run: from the first rank's return from MPI_Init to the last rank's entry into
/// MPI_Finalize.
struct MeasuredRun {
  std::int64_t begin_ns = 0;  ///< in trace time
  std::int64_t makespan_ns = 0;
  std::vector<MeasuredParts> ranks;  ///< parts add up to the makespan
};

/// Nothing for untimed traces and traces without calls.
std::optional<MeasuredRun> measured_run(const Trace& trace);

}  // namespace slackline
