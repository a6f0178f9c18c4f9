#include "page/run_times.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace slackline {
namespace {

std::int64_t first_moment(const RankCalls& calls) {
  return calls.empty() ? calls.start_ns() : std::min(calls.start_ns(), calls.begin_ns(0));
}

/// Ends of all calls, by global number, as far as a vertex says them; else -1.
std::vector<std::int64_t> vertex_ends_ns(const ExecutionGraph& graph, const Schedule& schedule) {
  std::vector<std::int64_t> ends(graph.first_call(graph.ranks()), -1);
  for (VertexId v = 0; v < graph.vertex_count(); ++v) {
    if (!graph.on_main_path(v) || graph.in_degree(v) == 0) continue;
    const std::uint32_t call = graph.global_call(v);
    if (call < ends.size()) {
      ends[call] = std::max(ends[call], schedule.time_ps[v] / kPicosPerNano);
    }
  }
  return ends;
}

}  // namespace

RowTimes::RowTimes(const RankCalls& calls, std::int64_t zero_ns)
    : calls_(&calls),
      zero_(zero_ns),
      row_begin_(first_moment(calls) - zero_ns),
      row_end_(std::max(first_moment(calls), calls.empty() ? zero_ns : calls.stop_ns()) - zero_ns) {
}

RowTimes::RowTimes(std::vector<std::int64_t> begin_ns, std::vector<std::int64_t> end_ns,
                   std::int64_t row_begin_ns, std::int64_t row_end_ns)
    : begin_(std::move(begin_ns)),
      end_(std::move(end_ns)),
      row_begin_(row_begin_ns),
      row_end_(row_end_ns) {}

std::size_t RowTimes::first_from(std::int64_t time_ns) const {
  if (calls_ != nullptr) return calls_->first_from(time_ns + zero_);
  return static_cast<std::size_t>(std::ranges::lower_bound(begin_, time_ns) - begin_.begin());
}

std::int64_t run_start_ns(const Trace& trace) {
  std::int64_t start = std::numeric_limits<std::int64_t>::max();
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    if (!trace.calls(r).empty()) start = std::min(start, first_moment(trace.calls(r)));
  }
  return start == std::numeric_limits<std::int64_t>::max() ? 0 : start;
}

RunTimes measured_times(const Trace& trace) {
  return timed_run(trace, -run_start_ns(trace));
}

RunTimes timed_run(const Trace& timed, std::int64_t offset_ns) {
  RunTimes times;
  for (std::int32_t r = 0; r < timed.ranks(); ++r) {
    times.ranks.emplace_back(timed.calls(r), -offset_ns);
    times.span_ns = std::max(times.span_ns, times.ranks.back().row_end_ns());
  }
  return times;
}

RunTimes scheduled_times(const Trace& trace, const ExecutionGraph& graph, const Schedule& schedule,
                         std::int64_t offset_ns) {
  const std::vector<std::int64_t> ends = vertex_ends_ns(graph, schedule);
  RunTimes times;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    const std::uint32_t first = graph.first_call(r);
    const std::int64_t row_end =
        offset_ns + schedule.rank_end_ps[static_cast<std::size_t>(r)] / kPicosPerNano;
    std::vector<std::int64_t> begin(calls.size());
    std::vector<std::int64_t> end(calls.size());
    std::int64_t now = offset_ns;
    bool started = calls.empty() || !is_init(calls.operation(0));
    for (std::size_t i = 0; i < calls.size(); ++i) {
      begin[i] = started ? std::min(now + calls.gap_ns(i), std::max(now, row_end)) : now;
      end[i] = begin[i];
      const std::int64_t decided = first + i < ends.size() ? ends[first + i] : -1;
      if (decided >= 0) {
        end[i] = std::max(now, offset_ns + decided);
        begin[i] = std::min(begin[i], end[i]);
      }
      now = end[i];
      started = started || is_init(calls.operation(i));
    }
    times.span_ns = std::max(times.span_ns, row_end);
    times.ranks.emplace_back(std::move(begin), std::move(end), offset_ns, row_end);
  }
  return times;
}

std::int64_t program_offset_ns(const Trace& trace) {
  const std::int64_t zero = run_start_ns(trace);
  std::int64_t start = std::numeric_limits<std::int64_t>::max();
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    std::int64_t mine = calls.start_ns();
    for (std::size_t i = 0; i < calls.size() && i < 2; ++i) {
      if (is_init(calls.operation(i))) mine = calls.end_ns(i);
    }
    if (!calls.empty()) start = std::min(start, mine);
  }
  return start == std::numeric_limits<std::int64_t>::max()
             ? 0
             : std::max<std::int64_t>(0, start - zero);
}

}  // namespace slackline
