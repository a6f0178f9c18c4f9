#include "analysis/runs/modelled_trace.h"

#include <vector>

#include "analysis/runs/scheduled_calls.h"
#include "trace/trace_builder.h"

namespace slackline {

Trace modelled_trace(Trace program, const ExecutionGraph& graph, const Schedule& schedule) {
  TraceBuilder trace = std::move(program);
  const ScheduledCalls scheduled(trace, graph, schedule);
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    std::vector<std::int64_t> times = scheduled.times(rank);
    for (std::int64_t& time : times) time += scheduled.zero_ns();
    if (!times.empty()) trace.calls(rank).retime(times);
  }
  trace.set_timed();
  trace.info().flops_per_second = 0;
  trace.info().recorder = "slackline convert --predicted";
  return std::move(trace).build();
}

}  // namespace slackline
