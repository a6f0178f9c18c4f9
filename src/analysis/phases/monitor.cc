// How efficient the run is at each time, and when that changes.
//
// The run's loops are found in the order of its calls (iterations.h), and where their iterations
// change (loop_changes.h); this makes intervals (focus_intervals.h), over which waiting and the
// critical path are laid.

#include "analysis/phases/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "analysis/efficiency/time_shares.h"
#include "analysis/phases/focus_intervals.h"
#include "analysis/phases/run_windows.h"
#include "analysis/waits/wait_states.h"
#include "base/error.h"
#include "base/parallel.h"
#include "calls/findings.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

constexpr std::size_t kFewestWindows = 8;

FocusInterval* interval_at(Monitor& out, std::int64_t time) {
  const auto after = std::ranges::upper_bound(out.intervals, time, {}, &FocusInterval::begin_ns);
  return after == out.intervals.begin() ? nullptr : &*std::prev(after);
}

void add_waiting(const Trace& trace, const WaitStates& waits, std::int64_t start, Monitor& out) {
  std::vector<std::array<std::int64_t, kWaitPatterns>> sums(out.intervals.size());
  for (const WaitState& s : waits.states) {
    if (!s.effective) continue;
    // Ranks wait from the begin of their call on, maybe through several intervals.
    const std::int64_t begin = trace.calls(s.rank).begin_ns(s.call) - start;
    const std::int64_t end = begin + s.wait_ns;
    const FocusInterval* const first = interval_at(out, begin);
    if (first == nullptr) continue;
    for (auto i = static_cast<std::size_t>(first - out.intervals.data());
         i < out.intervals.size() && out.intervals[i].begin_ns < end; ++i) {
      FocusInterval& interval = out.intervals[i];
      const std::int64_t inside = std::max<std::int64_t>(
          0, std::min(end, interval.end_ns) - std::max(begin, interval.begin_ns));
      interval.waiting_ns += inside;
      sums[i][static_cast<std::size_t>(s.pattern)] += inside;
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto most = std::ranges::max_element(sums[i]);
    if (*most > 0) {
      out.intervals[i].main_pattern = static_cast<WaitPattern>(most - sums[i].begin());
    }
  }
}

void add_path(const Trace& trace, const CriticalPath& path, Monitor& out) {
  std::vector<std::vector<std::int64_t>> on_rank(
      out.intervals.size(), std::vector<std::int64_t>(static_cast<std::size_t>(trace.ranks())));
  std::size_t interval = 0;
  for (const ActivitySegment& s : path.segments) {
    // Segments and intervals are both in order of time; a segment may lie in several intervals.
    while (interval + 1 < out.intervals.size() && out.intervals[interval].end_ns <= s.begin_ns)
      ++interval;
    for (std::size_t i = interval; i < out.intervals.size() && out.intervals[i].begin_ns < s.end_ns;
         ++i) {
      on_rank[i][static_cast<std::size_t>(s.rank)] +=
          std::min(s.end_ns, out.intervals[i].end_ns) -
          std::max(s.begin_ns, out.intervals[i].begin_ns);
    }
  }
  for (std::size_t i = 0; i < on_rank.size(); ++i) {
    FocusInterval& r = out.intervals[i];
    const auto most = std::ranges::max_element(on_rank[i]);
    if (*most == 0) continue;
    r.path_rank = static_cast<std::int32_t>(most - on_rank[i].begin());
    r.path_share =
        std::min(1.0, static_cast<double>(*most) /
                          static_cast<double>(std::max<std::int64_t>(1, r.end_ns - r.begin_ns)));
  }
}

std::int32_t busiest_rank(const Trace& trace) {
  std::int32_t most = 0;
  for (std::int32_t r = 1; r < trace.ranks(); ++r) {
    if (trace.calls(r).size() > trace.calls(most).size()) most = r;
  }
  return most;
}

EfficiencyCurves curves_of(const Trace& trace, const IdealRun& ideal, const RunWindows& windows,
                           const MonitorOptions& options) {
  if (options.rank && (*options.rank < 0 || *options.rank >= trace.ranks())) {
    throw usage_error(fmt::format("rank {} does not exist", *options.rank),
                      fmt::format("the trace has {}", trace.ranks()));
  }
  EfficiencyCurves out;
  out.rank = options.rank ? *options.rank : busiest_rank(trace);
  out.transfer = transfer_monitor(trace, ideal, out.rank);
  out.length_ns = windows.length();
  if (out.length_ns <= 0) return out;
  const std::size_t count = std::max(kFewestWindows, options.windows);
  for (std::size_t i = 0; i <= count; ++i) {
    const auto length = static_cast<double>(windows.analysed_end() - windows.analysed_begin());
    out.border_ns.push_back(
        windows.analysed_begin() +
        static_cast<std::int64_t>(length * static_cast<double>(i) / static_cast<double>(count)));
  }
  out.whole = windows.between(windows.analysed_begin(), windows.analysed_end());
  for (std::size_t i = 0; i < count; ++i) {
    out.windows.push_back(windows.between(out.border_ns[i], out.border_ns[i + 1]));
  }
  return out;
}

TimeInterval analysed_interval(const Trace& trace, const MonitorOptions& options) {
  return options.analysed.value_or(run_span(trace).common);
}

std::vector<AnalysedLoop> analysed_loops(const Trace& trace, const MonitorInputs& inputs) {
  std::vector<IterationLoop> found = find_iterations(trace, inputs.paths, kShortestInterval);
  // Ranks may agree on long loops only.
  if (found.empty()) found = find_iterations(trace, inputs.paths);
  std::vector<AnalysedLoop> loops;
  for (IterationLoop& loop : found) {
    LoopChanges changes =
        loop_changes(loop, iteration_times(trace, inputs.paths, inputs.waits, loop));
    loops.push_back({std::move(loop), std::move(changes)});
  }
  return loops;
}

}  // namespace

std::string_view to_string(IntervalKind kind) {
  switch (kind) {
    case IntervalKind::computing:
      return "computing";
    case IntervalKind::imbalance:
      return "imbalance";
    case IntervalKind::serialisation:
      return "serialisation";
    case IntervalKind::transfer:
      return "transfer";
    case IntervalKind::startup:
      return "start-up";
    case IntervalKind::shutdown:
      return "shut-down";
  }
  return "computing";
}

std::string_view name(IntervalKind kind) {
  switch (kind) {
    case IntervalKind::computing:
      return "computation";
    case IntervalKind::imbalance:
      return "load imbalance";
    default:
      return to_string(kind);
  }
}

TransferMonitor transfer_monitor(const Trace& trace, const IdealRun& ideal, std::int32_t rank) {
  TransferMonitor m;
  const RankCalls& calls = trace.calls(rank);
  const auto r = static_cast<std::size_t>(rank);
  const std::int64_t start = run_span(trace).whole.begin_ns;
  std::int64_t observed = 0;
  std::int64_t simulated = 0;
  std::int64_t last = calls.start_ns();
  std::int64_t ideal_last = calls.start_ns();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Operation operation = calls.operation(i);
    if (operation == Operation::finalize) break;
    const std::int64_t o = std::max<std::int64_t>(0, calls.end_ns(i) - last);
    const std::int64_t s = ideal.end_ns[r][i] - ideal_last;
    last = std::max(last, calls.end_ns(i));
    ideal_last = ideal.end_ns[r][i];
    if (is_init(operation)) continue;
    observed += o;
    simulated += s;
    m.time_ns.push_back(last - start);
    if (s > o) ++m.longer_pairs;
    m.local.push_back(o > s ? static_cast<double>(s) / static_cast<double>(o) : 1);
    m.cumulative.push_back(
        observed > 0 ? static_cast<double>(simulated) / static_cast<double>(observed) : 1);
  }
  return m;
}

Monitor monitor(const Trace& trace, const CallMatching& matching, const CallPaths& paths,
                const MonitorOptions& options) {
  if (!trace.timed()) {
    throw Error("cannot monitor an untimed trace", "it has no timestamps",
                "Record a run of the program.");
  }
  const CausalOrder order(trace, matching);
  const TimeInterval analysed = analysed_interval(trace, options);
  IdealRun ideal;
  WaitStates waits;
  CriticalPath path;
  const std::array<std::function<void()>, 2> halves{
      [&] { ideal = ideal_run(trace, matching, options.ideal); },
      [&] {
        waits = waits_in_interval(trace, wait_states(trace, matching, order, {}), analysed);
        path = critical_path(Activities(trace, matching, order), CallActivities(trace, paths),
                             {.extent = PathExtent::segments});
      }};
  parallel_for(halves.size(), [&](std::size_t i) { halves[i](); });
  const TimeShares shares =
      time_shares(trace, matching, CallActivities(trace, paths), waits, ideal, analysed);
  Monitor out = monitor(trace, {ideal, waits, path, paths, efficiency_inputs(shares)}, options);
  out.findings.merge(matching.findings());
  return out;
}

Monitor monitor(const Trace& trace, const MonitorInputs& inputs, const MonitorOptions& options) {
  RunWindows windows(trace, inputs.ideal, analysed_interval(trace, options));
  if (inputs.analysed.has_time()) {
    windows.set_whole(factors(inputs.analysed, EfficiencyVariant::multiplicative));
  }
  Monitor out{curves_of(trace, inputs.ideal, windows, options), {}, 0, {}, {}};
  if (inputs.ideal.released > 0) out.findings.add(kReplayReleased, {}, inputs.ideal.released);
  if (out.length_ns <= 0) return out;
  find_focus_intervals(trace, analysed_loops(trace, inputs), windows, out);
  add_waiting(trace, inputs.waits, windows.start(), out);
  add_path(trace, inputs.path, out);
  return out;
}

namespace {

struct Curve {
  std::string_view name;
  double WindowEfficiency::*value;
};

constexpr std::array kCurves{Curve{"parallel efficiency", &WindowEfficiency::useful},
                             Curve{"load balance", &WindowEfficiency::load_balance},
                             Curve{"serialisation efficiency", &WindowEfficiency::serialisation},
                             Curve{"transfer efficiency", &WindowEfficiency::transfer}};

}  // namespace

std::vector<TimelineCounter> efficiency_counters(const Trace& trace,
                                                 const EfficiencyCurves& curves) {
  std::vector<TimelineCounter> counters;
  if (curves.windows.empty()) return counters;
  const std::int64_t start = run_span(trace).whole.begin_ns;
  for (const Curve& curve : kCurves) {
    TimelineCounter counter{std::string(curve.name), {}};
    for (std::size_t i = 0; i < curves.windows.size(); ++i) {
      counter.points.emplace_back(start + curves.border_ns[i], curves.windows[i].*curve.value);
    }
    counter.points.emplace_back(start + curves.border_ns.back(), counter.points.back().second);
    counters.push_back(std::move(counter));
  }
  TimelineCounter cumulative{fmt::format("cumulative transfer efficiency of rank {}", curves.rank),
                             {}};
  for (std::size_t i = 0; i < curves.transfer.time_ns.size(); ++i) {
    cumulative.points.emplace_back(start + curves.transfer.time_ns[i],
                                   curves.transfer.cumulative[i]);
  }
  counters.push_back(std::move(cumulative));
  return counters;
}

}  // namespace slackline
