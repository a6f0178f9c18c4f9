#include "page/run_times.h"

#include <algorithm>
#include <utility>

#include "analysis/runs/scheduled_calls.h"
#include "calls/run_span.h"

namespace slackline {

RowTimes::RowTimes(const RankCalls& calls, std::int64_t zero_ns)
    : calls_(&calls),
      zero_(zero_ns),
      row_begin_(calls.start_ns() - zero_ns),
      row_end_(std::max(calls.start_ns(), calls.empty() ? zero_ns : calls.stop_ns()) - zero_ns) {}

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

RunTimes measured_times(const Trace& trace) {
  return timed_run(trace, -run_span(trace).whole.begin_ns);
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
  const ScheduledCalls scheduled(trace, graph, schedule);
  RunTimes run;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const std::vector<std::int64_t> times = scheduled.times(r);
    const std::int64_t row_end =
        offset_ns + schedule.rank_end_ps[static_cast<std::size_t>(r)] / kPicosPerNano;
    std::vector<std::int64_t> begin;
    std::vector<std::int64_t> end;
    begin.reserve(times.size() / 2);
    end.reserve(times.size() / 2);
    for (std::size_t i = 0; i < times.size(); i += 2) {
      // The row begins with the schedule: MPI_Init is cut there.
      begin.push_back(offset_ns + std::max<std::int64_t>(0, times[i]));
      end.push_back(offset_ns + std::max<std::int64_t>(0, times[i + 1]));
    }
    run.span_ns = std::max(run.span_ns, row_end);
    run.ranks.emplace_back(std::move(begin), std::move(end), offset_ns, row_end);
  }
  return run;
}

}  // namespace slackline
