// From the times of a graph's vertices to the times of calls.
//
// A call begins when its rank's computation before it is done, which is the time of the newest
// vertex of the rank's main path plus the gaps since. It ends with the last vertex of the main path
// that belongs to it; a call without vertices (a posted receive) takes no time. This is how the
// graph was made (graph/program_walk.cc), so the last call's end is the rank's in the schedule.

#include "analysis/runs/modelled_trace.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace slackline {
namespace {

constexpr std::int64_t kNoVertexTime = std::numeric_limits<std::int64_t>::min();

/// Of every call the time of its last vertex on its rank's main path, or kNoVertexTime.
std::vector<std::int64_t> main_path_ends(const ExecutionGraph& graph, const Schedule& schedule) {
  std::vector<std::int64_t> ends(graph.first_call(graph.ranks()), kNoVertexTime);
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  for (VertexId v = 0; v < vertices; ++v) {
    const bool is_start = graph.in_degree(v) == 0;
    if (!is_start && graph.on_main_path(v)) ends[graph.global_call(v)] = schedule.time_ps[v];
  }
  return ends;
}

class Timekeeper {
 public:
  Timekeeper(const RankCalls& calls, std::int64_t zero_ns, std::span<const std::int64_t> ends_ps)
      : calls_(calls), zero_ns_(zero_ns), ends_ps_(ends_ps) {}

  /// Begin and end of every call by turns.
  std::vector<std::int64_t> times() {
    const ProgramStart start = program_start(calls_);
    std::vector<std::int64_t> times;
    times.reserve(2 * calls_.size());
    for (std::size_t i = 0; i < start.first_call; ++i) {
      times.push_back(calls_.begin_ns(i));
      times.push_back(calls_.end_ns(i));
    }
    std::int64_t clock_ps = (start.ns - zero_ns_) * kPicosPerNano;
    for (std::size_t i = start.first_call; i < calls_.size(); ++i) {
      clock_ps += calls_.gap_ns(i) * kPicosPerNano;
      times.push_back(in_ns(clock_ps));
      if (ends_ps_[i] != kNoVertexTime) clock_ps = std::max(clock_ps, ends_ps_[i]);
      times.push_back(in_ns(clock_ps));
    }
    return times;
  }

 private:
  std::int64_t in_ns(std::int64_t ps) const { return zero_ns_ + ps / kPicosPerNano; }

  const RankCalls& calls_;
  std::int64_t zero_ns_;
  std::span<const std::int64_t> ends_ps_;
};

}  // namespace

Trace modelled_trace(Trace trace, const ExecutionGraph& graph, const Schedule& schedule) {
  const std::vector<std::int64_t> ends = main_path_ends(graph, schedule);
  const std::int64_t zero = program_start_ns(trace);
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    RankCalls& calls = trace.calls(rank);
    if (calls.empty()) continue;
    const auto own = std::span(ends).subspan(graph.first_call(rank), calls.size());
    calls.retime(Timekeeper(calls, zero, own).times());
  }
  trace.set_timed();
  trace.info().flops_per_second = 0;
  trace.info().recorder = "slackline convert --predicted";
  return trace;
}

}  // namespace slackline
