#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "graph/execution_graph.h"

namespace slackline {

inline constexpr std::int64_t kPicosPerNano = 1000;

/// When everything in an ExecutionGraph happens under a model, and what decided it. Times in
/// picoseconds from the begin of the run's analysed interval (calls/run_span.h). What a run of any
/// origin has in common is not this but a trace with times: analysis/runs/modelled_trace.h makes
/// one.
struct Schedule {
  static constexpr std::uint32_t kUndecided = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::int64_t> time_ps;      ///< of each vertex
  std::vector<std::uint32_t> decided_by;  ///< which of its in-edges was last; kUndecided at a start
  std::vector<std::int64_t> rank_end_ps;  ///< when each rank's program ends
  std::int64_t makespan_ps = 0;           ///< the largest of these
  std::int32_t last_rank = 0;             ///< whose it is
};

}  // namespace slackline
