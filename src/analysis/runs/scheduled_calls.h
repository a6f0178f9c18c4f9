#pragma once

#include <cstdint>
#include <vector>

#include "graph/execution_graph.h"
#include "trace/trace.h"

namespace slackline {

/// When the calls of a trace begin and end under a Schedule over its graph. Nothing else turns
/// vertices into calls, so a predicted run is the same in a picture and in a file.
///
/// Times are whole nanoseconds from the schedule's start, each cut once from the schedule's
/// picoseconds: cutting keeps their order, errors do not add up, and a computation between two
/// calls keeps its length. Calls up to the return from MPI_Init, of which a Schedule says nothing,
/// keep their measured distance from its start.
class ScheduledCalls {
 public:
  /// Keeps references. O(vertices).
  ScheduledCalls(const Trace& trace, const ExecutionGraph& graph, const Schedule& schedule);

  /// Begin and end of every call of a rank by turns. O(calls of the rank).
  std::vector<std::int64_t> times(std::int32_t rank) const;
  /// Where the schedule's start lies in the trace's own time.
  std::int64_t zero_ns() const { return zero_ns_; }

 private:
  const Trace& trace_;
  const ExecutionGraph& graph_;
  std::int64_t zero_ns_;
  std::vector<std::int64_t> ends_ps_;  // by global call: its last vertex on the rank's main path
};

/// The trace with the times that a model gives its calls: a timed trace in whole nanoseconds, for
/// every writer and analysis of measured ones. `graph` must be of `trace`, `schedule` over it. The
/// schedule's start is where the measured run leaves MPI_Init first, so that both lie side by side;
/// what came before keeps its times. O(calls + vertices).
Trace modelled_trace(Trace program, const ExecutionGraph& graph, const Schedule& schedule);

}  // namespace slackline
