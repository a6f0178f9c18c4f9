// From the times of a graph's vertices to the times of calls.
//
// A call begins when its rank's computation before it is done, which is the time of the newest
// vertex of the rank's main path plus the gaps since. It ends with the last vertex of the main path
// that belongs to it; a call without vertices (a posted receive) takes no time. This is how the
// graph was made (graph/program_walk.cc), so the last call's end is the rank's in the schedule.

#include "analysis/runs/scheduled_calls.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "calls/run_span.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

constexpr std::int64_t kNoVertexTime = std::numeric_limits<std::int64_t>::min();

}  // namespace

ScheduledCalls::ScheduledCalls(const Trace& trace, const ExecutionGraph& graph,
                               const Schedule& schedule)
    : trace_(trace),
      graph_(graph),
      zero_ns_(run_span(trace).analysed.begin_ns),
      ends_ps_(graph.first_call(graph.ranks()), kNoVertexTime) {
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  for (VertexId v = 0; v < vertices; ++v) {
    const bool is_start = graph.in_degree(v) == 0;
    if (!is_start && graph.on_main_path(v)) ends_ps_[graph.global_call(v)] = schedule.time_ps[v];
  }
}

std::vector<std::int64_t> ScheduledCalls::times(std::int32_t rank) const {
  const RankCalls& calls = trace_.calls(rank);
  std::vector<std::int64_t> times;
  if (calls.empty()) return times;
  times.reserve(2 * calls.size());
  const RankSpan span = rank_span(calls);
  for (std::size_t i = 0; i < span.first_call; ++i) {
    times.push_back(calls.begin_ns(i) - zero_ns_);
    times.push_back(calls.end_ns(i) - zero_ns_);
  }
  const std::uint32_t first = graph_.first_call(rank);
  std::int64_t clock_ps = (span.analysed.begin_ns - zero_ns_) * kPicosPerNano;
  for (std::size_t i = span.first_call; i < calls.size(); ++i) {
    clock_ps += calls.gap_ns(i) * kPicosPerNano;
    times.push_back(clock_ps / kPicosPerNano);
    if (const std::int64_t end_ps = ends_ps_[first + i]; end_ps != kNoVertexTime) {
      clock_ps = std::max(clock_ps, end_ps);
    }
    times.push_back(clock_ps / kPicosPerNano);
  }
  return times;
}

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
