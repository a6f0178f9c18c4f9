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

namespace {

class Changes {
 public:
  void add(std::int64_t at_ns, PathId path) {
    if (!changes_.empty() && changes_.back().path == path) return;
    const std::int64_t at = changes_.empty() ? at_ns : std::max(at_ns, changes_.back().at_ns);
    changes_.push_back({at, path});
  }
  std::vector<PathChange> take() { return std::move(changes_); }

 private:
  std::vector<PathChange> changes_;
};

/// Functions change where calls begin and end.
std::vector<PathChange> function_changes(const DrawnCalls& calls, const RowTimes& times,
                                         std::int32_t rank) {
  Changes changes;
  std::int64_t at = times.row_begin_ns();
  for (std::size_t i = 0; i < times.size(); ++i) {
    changes.add(at, calls.path_before(rank, i));
    changes.add(times.begin_ns(i), calls.path_at(rank, i));
    at = times.end_ns(i);
  }
  changes.add(at, 0);
  return changes.take();
}

std::vector<PathChange> changes_of(const Trace& trace, const CallPaths& paths,
                                   const RowTimes& times, std::int32_t rank, bool measured) {
  const RankCalls& calls = trace.calls(rank);
  Changes changes;
  changes.add(times.row_begin_ns(), 0);
  std::uint32_t last = calls.empty() ? 0 : static_cast<std::uint32_t>(calls.size());
  bool any = false;
  for (const RegionEvent& event : calls.regions()) {
    const std::uint32_t call = event.before_call;
    if (any && call == last) continue;
    any = true;
    last = call;
    if (call >= calls.size()) {
      changes.add(times.row_end_ns(), paths.at_call(rank, call));
      continue;
    }
    std::int64_t at = times.begin_ns(call) - (measured ? calls.gap_ns(call) : 0);
    if (measured) {
      paths.split_gap(rank, call, [&](PathId path, std::int64_t ns) {
        changes.add(at, path);
        at += ns;
      });
    }
    changes.add(times.begin_ns(call), paths.at_call(rank, call));
  }
  return changes.take();
}

}  // namespace

std::vector<std::vector<PathChange>> path_changes(const Trace& trace, const CallPaths& paths,
                                                  const RunTimes& times, bool measured) {
  std::vector<std::vector<PathChange>> changes(static_cast<std::size_t>(trace.ranks()));
  if (paths.only_one()) return changes;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const auto index = static_cast<std::size_t>(r);
    changes[index] = changes_of(trace, paths, times.ranks[index], r, measured);
  }
  return changes;
}

std::vector<std::vector<PathChange>> path_changes(const DrawnCalls& calls, const RunTimes& times) {
  std::vector<std::vector<PathChange>> changes;
  for (std::int32_t row = 0; row < calls.rows(); ++row) {
    changes.push_back(function_changes(calls, times.ranks[static_cast<std::size_t>(row)], row));
  }
  return changes;
}

std::vector<std::vector<WaitState>> waits_by_rank(std::int32_t ranks, const WaitStates& waits) {
  std::vector<std::vector<WaitState>> by_rank(static_cast<std::size_t>(ranks));
  for (const WaitState& state : waits.states) {
    if (state.effective && state.wait_ns > 0) {
      by_rank[static_cast<std::size_t>(state.rank)].push_back(state);
    }
  }
  for (auto& own : by_rank) std::ranges::stable_sort(own, {}, &WaitState::call);
  return by_rank;
}

}  // namespace slackline
