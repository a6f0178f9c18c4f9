// How efficient the run is at each time, and when that changes.
//
// The run's loops are found in the order of its calls (iterations.h), and where their iterations
// change (loop_changes.h); this makes intervals (focus_intervals.h), over which waiting and the
// critical path are laid.

#include "analysis/phases/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>

#include "analysis/phases/focus_intervals.h"
#include "analysis/phases/monitored_run.h"
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

/// A rank's waiting by interval and pattern.
using WaitingOfRank = std::vector<std::array<std::int64_t, kWaitPatterns>>;

WaitingOfRank waiting_of(const MonitoredRank& rank, std::int64_t start, Monitor& out) {
  WaitingOfRank sums(out.intervals.size());
  for (const WaitState& s : rank.waits()) {
    // Ranks wait from the begin of their call on, maybe through several intervals.
    const std::int64_t begin = rank.calls().begin_ns(s.call) - start;
    const std::int64_t end = begin + s.wait_ns;
    const FocusInterval* const first = interval_at(out, begin);
    if (first == nullptr) continue;
    for (auto i = static_cast<std::size_t>(first - out.intervals.data());
         i < out.intervals.size() && out.intervals[i].begin_ns < end; ++i) {
      const FocusInterval& interval = out.intervals[i];
      sums[i][static_cast<std::size_t>(s.pattern)] += std::max<std::int64_t>(
          0, std::min(end, interval.end_ns) - std::max(begin, interval.begin_ns));
    }
  }
  return sums;
}

void add_waiting(MonitoredRun& run, Monitor& out) {
  const std::int64_t start = run.facts().span.whole.begin_ns;
  const auto of_ranks = run.of_each_rank<WaitingOfRank>(
      [&](const MonitoredRank& rank) { return waiting_of(rank, start, out); });
  for (std::size_t i = 0; i < out.intervals.size(); ++i) {
    std::array<std::int64_t, kWaitPatterns> sums{};
    for (const WaitingOfRank& rank : of_ranks) {
      if (rank.empty()) continue;
      for (std::size_t p = 0; p < kWaitPatterns; ++p) sums[p] += rank[i][p];
    }
    out.intervals[i].waiting_ns = std::reduce(sums.begin(), sums.end());
    const auto most = std::ranges::max_element(sums);
    if (*most > 0) {
      out.intervals[i].main_pattern = static_cast<WaitPattern>(most - sums.begin());
    }
  }
}

void add_path(const MonitoredFacts& run, Monitor& out) {
  std::vector<std::vector<std::int64_t>> on_rank(out.intervals.size(),
                                                 std::vector<std::int64_t>(run.calls.size()));
  std::size_t interval = 0;
  for (std::size_t t = 0; t < run.path.size(); ++t) {
    // Turns and intervals are both in order of time; a rank's part may lie in several intervals.
    const std::int64_t begin = run.path[t].begin_ns;
    const std::int64_t end =
        t + 1 < run.path.size() ? run.path[t + 1].begin_ns : run.span.whole.length_ns();
    while (interval + 1 < out.intervals.size() && out.intervals[interval].end_ns <= begin)
      ++interval;
    for (std::size_t i = interval; i < out.intervals.size() && out.intervals[i].begin_ns < end;
         ++i) {
      on_rank[i][static_cast<std::size_t>(run.path[t].rank)] +=
          std::min(end, out.intervals[i].end_ns) - std::max(begin, out.intervals[i].begin_ns);
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

std::int32_t chosen_rank(const MonitoredFacts& run, const MonitorOptions& options) {
  const auto ranks = static_cast<std::int32_t>(run.calls.size());
  if (options.rank && (*options.rank < 0 || *options.rank >= ranks)) {
    throw usage_error(fmt::format("rank {} does not exist", *options.rank),
                      fmt::format("the trace has {}", ranks));
  }
  const auto most = std::ranges::max_element(run.calls);
  return options.rank.value_or(static_cast<std::int32_t>(most - run.calls.begin()));
}

void add_borders(RunWindows& windows, const MonitorOptions& options, EfficiencyCurves& out) {
  const std::size_t count = std::max(kFewestWindows, options.windows);
  for (std::size_t i = 0; i <= count; ++i) {
    const auto length = static_cast<double>(windows.analysed_end() - windows.analysed_begin());
    out.border_ns.push_back(
        windows.analysed_begin() +
        static_cast<std::int64_t>(length * static_cast<double>(i) / static_cast<double>(count)));
    windows.expect(out.border_ns.back());
  }
}

void add_curves(RunWindows& windows, EfficiencyCurves& out) {
  out.whole = windows.between(windows.analysed_begin(), windows.analysed_end());
  for (std::size_t i = 0; i + 1 < out.border_ns.size(); ++i) {
    out.windows.push_back(windows.between(out.border_ns[i], out.border_ns[i + 1]));
  }
}

/// The first look at a rank.
struct LoopsOfRank {
  std::vector<RankLoop> loops{};
  TransferMonitor transfer{};  // of the chosen one

  auto carried() { return std::tie(loops, transfer); }
};

std::vector<IterationLoop> loops_of(MonitoredRun& run, double shortest, Monitor& out) {
  const MonitoredFacts& facts = run.facts();
  auto found = run.of_each_rank<LoopsOfRank>([&](const MonitoredRank& rank) {
    LoopsOfRank of{rank_loops(rank.trace(), rank.paths(), rank.rank(), shortest)};
    if (rank.rank() == out.rank) {
      of.transfer =
          transfer_monitor(rank.trace(), rank.ideal(), rank.rank(), facts.span.whole.begin_ns);
    }
    return of;
  });
  std::vector<std::vector<RankLoop>> loops;
  for (LoopsOfRank& rank : found) loops.push_back(std::move(rank.loops));
  out.transfer = std::move(found[static_cast<std::size_t>(out.rank)].transfer);
  return find_iterations(std::move(loops), facts.calls);
}

void add_idle_threads(const MonitoredRank& rank, const TimeInterval& analysed,
                      const std::vector<std::uint32_t>& first_call, IterationTimes& out) {
  const ThreadClock& threads = rank.threads(analysed);
  double before = 0;
  for (std::size_t k = 0; k < first_call.size(); ++k) {
    const std::int64_t time = iteration_begin_ns(rank.calls(), first_call, k);
    const ThreadClock::Reading now = threads.at(time, rank.clock().at(time).useful_ns);
    const double idle = (now.total_ns - now.work_ns) / threads.threads();
    if (k > 0) out.idle_threads.push_back(std::max(0.0, idle - before));
    before = idle;
  }
}

std::vector<AnalysedLoop> analysed_loops(MonitoredRun& run, Monitor& out) {
  std::vector<IterationLoop> found = loops_of(run, kShortestInterval, out);
  // Ranks may agree on long loops only.
  if (found.empty()) found = loops_of(run, kShortestLoop, out);
  std::vector<AnalysedLoop> loops;
  if (found.empty()) return loops;
  using TimesOfLoops = std::vector<IterationTimes>;
  auto of_ranks = run.of_each_rank<TimesOfLoops>([&](const MonitoredRank& rank) {
    TimesOfLoops times;
    for (const IterationLoop& loop : found) {
      const auto& first_call = loop.first_call[static_cast<std::size_t>(rank.rank())];
      times.push_back(
          iteration_times(rank.trace(), rank.paths(), rank.waits(), first_call, rank.rank()));
      if (run.facts().has_regions) {
        add_idle_threads(rank, run.facts().analysed, first_call, times.back());
      }
    }
    return times;
  });
  for (std::size_t l = 0; l < found.size(); ++l) {
    std::vector<IterationTimes> times;
    for (TimesOfLoops& rank : of_ranks) {
      times.push_back(rank.empty() ? IterationTimes() : std::move(rank[l]));
    }
    LoopChanges changes = loop_changes(found[l], times);
    loops.push_back({std::move(found[l]), std::move(changes)});
  }
  return loops;
}

/// A run that is in memory.
class WholeRun : public MonitoredRun {
 public:
  WholeRun(const Trace& trace, const MonitorInputs& inputs, MonitoredFacts facts)
      : MonitoredRun(std::move(facts)) {
    std::vector<std::vector<WaitState>> waits(static_cast<std::size_t>(trace.ranks()));
    for (const WaitState& s : inputs.waits.states) {
      if (s.effective) waits[static_cast<std::size_t>(s.rank)].push_back(s);
    }
    for (std::int32_t r = 0; r < trace.ranks(); ++r) {
      if (trace.calls(r).empty()) continue;
      ranks_.emplace_back(trace, inputs.paths, inputs.ideal,
                          std::move(waits[static_cast<std::size_t>(r)]), r);
    }
  }

 private:
  void visit(const std::function<void(const MonitoredRank&)>& visit) override {
    parallel_for(ranks_.size(), [&](std::size_t i) { visit(ranks_[i]); });
  }

  std::deque<MonitoredRank> ranks_;
};

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
    case IntervalKind::threads:
      return "threads";
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
    case IntervalKind::threads:
      return "OpenMP";
    default:
      return to_string(kind);
  }
}

TransferMonitor transfer_monitor(const Trace& trace, const IdealRun& ideal, std::int32_t rank,
                                 std::int64_t start) {
  TransferMonitor m;
  const RankCalls& calls = trace.calls(rank);
  const auto r = static_cast<std::size_t>(rank);
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

void append_turns(std::vector<PathTurn>& turns, std::span<const ActivitySegment> segments) {
  for (const ActivitySegment& s : segments) {
    if (turns.empty() || turns.back().rank != s.rank) turns.push_back({s.begin_ns, s.rank});
  }
}

Monitor monitor(const Trace& trace, const CallMatching& matching, const CallPaths& paths,
                const MonitorOptions& options) {
  if (!trace.timed()) {
    throw Error("cannot monitor an untimed trace", "it has no timestamps",
                "Record a run of the program.");
  }
  const CausalOrder order(trace, matching);
  const TimeInterval analysed = options.analysed.value_or(run_span(trace).common);
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
  const Efficiency efficiency = efficiency_from(trace, matching, ideal, analysed);
  Monitor out = monitor(trace, {ideal, waits, path, paths, efficiency.analysed}, options);
  out.findings.merge(matching.findings());
  return out;
}

Monitor monitor(const Trace& trace, const MonitorInputs& inputs, const MonitorOptions& options) {
  MonitoredFacts facts;
  facts.span = run_span(trace);
  facts.analysed = options.analysed.value_or(facts.span.common);
  facts.inputs = inputs.analysed;
  facts.released = inputs.ideal.released;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    facts.calls.push_back(trace.calls(r).size());
    facts.has_regions |= !trace.calls(r).parallel_regions().empty();
  }
  append_turns(facts.path, inputs.path.segments);
  WholeRun run(trace, inputs, std::move(facts));
  return monitor(run, options);
}

Monitor monitor(MonitoredRun& run, const MonitorOptions& options) {
  const MonitoredFacts& facts = run.facts();
  Monitor out;
  out.rank = chosen_rank(facts, options);
  RunWindows windows(run);
  out.length_ns = windows.length();
  if (facts.released > 0) out.findings.add(kReplayReleased, {}, facts.released);
  if (out.length_ns <= 0) return out;
  const std::vector<AnalysedLoop> loops = analysed_loops(run, out);
  add_borders(windows, options, out);
  find_focus_intervals(loops, windows, out);
  add_curves(windows, out);
  add_waiting(run, out);
  add_path(facts, out);
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
  if (curves.whole.openmp) {
    TimelineCounter openmp{"OpenMP efficiency", {}};
    for (std::size_t i = 0; i < curves.windows.size(); ++i) {
      openmp.points.emplace_back(start + curves.border_ns[i], curves.windows[i].openmp.value_or(1));
    }
    openmp.points.emplace_back(start + curves.border_ns.back(), openmp.points.back().second);
    counters.push_back(std::move(openmp));
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
