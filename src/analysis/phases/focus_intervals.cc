// Where a run changes its behaviour: at the borders of its loops, between iterations from which on
// the ranks' computation or communication differs (loop_changes.h), and in a run without iterations
// where the efficiencies of its fixed windows change level. Intervals that behave alike anywhere
// are one phase.

#include "analysis/phases/focus_intervals.h"

#include <algorithm>
#include <cmath>

#include "analysis/phases/level_changes.h"
#include "analysis/phases/loop_changes.h"

namespace slackline {
namespace {

constexpr double kLeastChange = 0.05;      // of an efficiency: less is no change worth reporting
constexpr double kAlike = 0.06;            // efficiencies of one phase differ by no more
constexpr double kGoodEnough = 0.9;        // an interval above that is computing
constexpr double kShortInterval = 0.05;    // of the run: start and end of a loop are not set apart
constexpr std::size_t kCallsInWindow = 4;  // of a rank: fewer show single calls and no behaviour
constexpr std::size_t kFewestForChanges = 16;
constexpr std::size_t kMostForChanges = 256;

/// Where an interval begins, from the start of the run.
struct Border {
  std::int64_t at_ns;
  double confidence = 1;
};

IntervalKind kind_of(const WindowEfficiency& e) {
  if (e.useful >= kGoodEnough) return IntervalKind::computing;
  const double worst = std::min({e.load_balance, e.serialisation, e.transfer});
  if (worst == e.transfer) return IntervalKind::transfer;
  return worst == e.load_balance ? IntervalKind::imbalance : IntervalKind::serialisation;
}

void measure_intervals(const RunWindows& windows, Monitor& out) {
  for (std::size_t i = 0; i < out.intervals.size(); ++i) {
    FocusInterval& interval = out.intervals[i];
    interval.end_ns =
        i + 1 < out.intervals.size() ? out.intervals[i + 1].begin_ns : windows.analysed_end();
    interval.efficiency = windows.between(interval.begin_ns, interval.end_ns);
    interval.kind = kind_of(interval.efficiency);
  }
}

double distance(const WindowEfficiency& a, const WindowEfficiency& b) {
  return std::max({std::abs(a.useful - b.useful), std::abs(a.transfer - b.transfer),
                   std::abs(a.load_balance - b.load_balance)});
}

bool alike(const FocusInterval& a, const FocusInterval& b) {
  return a.kind == b.kind && distance(a.efficiency, b.efficiency) <= kAlike &&
         (a.kind != IntervalKind::imbalance ||
          a.efficiency.busiest_rank == b.efficiency.busiest_rank);
}

/// Where the loops begin, change and end.
std::vector<Border> borders_of(const std::vector<AnalysedLoop>& loops, const RunWindows& windows) {
  const std::int64_t from = windows.analysed_begin();
  const std::int64_t to = windows.analysed_end();
  const auto shortest = static_cast<std::int64_t>(kShortInterval * static_cast<double>(to - from));
  std::vector<Border> borders{{from}};
  for (const AnalysedLoop& analysed : loops) {
    const IterationLoop& loop = analysed.loop;
    const auto time = [&](std::size_t k) { return loop.border_ns[k] - windows.start(); };
    const auto apart = std::max(shortest, static_cast<std::int64_t>(loop.period_ns()));
    const bool follows_other = borders.size() > 1;
    if (time(0) - borders.back().at_ns >= apart) {
      borders.push_back({time(0)});
    } else if (follows_other) {
      borders.back().at_ns = time(0);
    }
    for (const IterationChange& c : analysed.changes.changes) {
      borders.push_back({time(c.iteration), c.confidence});
    }
    if (to - time(loop.count) >= apart) borders.push_back({time(loop.count)});
  }
  return borders;
}

/// Without iterations: where the efficiencies of windows change.
std::vector<Border> borders_of(const Trace& trace, const RunWindows& windows) {
  const std::int64_t from = windows.analysed_begin();
  const std::int64_t length = windows.analysed_end() - from;
  std::vector<Border> borders{{from}};
  const std::uint64_t calls =
      trace.call_count() / std::max<std::uint64_t>(1, static_cast<std::uint64_t>(trace.ranks()));
  const std::size_t count = std::min<std::size_t>(kMostForChanges, calls / kCallsInWindow);
  if (count < kFewestForChanges || length < static_cast<std::int64_t>(count)) return borders;
  const auto time = [&](std::size_t i) {
    return from + static_cast<std::int64_t>(static_cast<double>(length) * static_cast<double>(i) /
                                            static_cast<double>(count));
  };
  std::vector<StepSeries> series(3,
                                 {.values = {}, .least_change = kLeastChange, .by_ratio = false});
  for (std::size_t i = 0; i < series.size(); ++i) series[i].group = i;
  for (std::size_t i = 0; i < count; ++i) {
    const WindowEfficiency e = windows.between(time(i), time(i + 1));
    series[0].values.push_back(e.useful);
    series[1].values.push_back(e.transfer);
    series[2].values.push_back(e.load_balance);
  }
  for (const LevelChange& c : level_changes(series).changes) {
    borders.push_back({time(c.at), c.confidence});
  }
  return borders;
}

void make_intervals(std::vector<Border> borders, const RunWindows& windows, Monitor& out) {
  std::ranges::stable_sort(borders, {}, &Border::at_ns);
  for (const Border& border : borders) {
    const std::int64_t at =
        std::clamp(border.at_ns, windows.analysed_begin(), windows.analysed_end());
    if (at >= windows.analysed_end()) break;
    if (!out.intervals.empty() && at <= out.intervals.back().begin_ns) continue;
    FocusInterval interval;
    interval.begin_ns = at;
    interval.confidence = border.confidence;
    out.intervals.push_back(interval);
  }
  measure_intervals(windows, out);
}

/// The iterations of the longest loop.
void report_iterations(const std::vector<AnalysedLoop>& loops, const RunWindows& windows,
                       Monitor& out) {
  if (loops.empty()) return;
  const AnalysedLoop& longest = *std::ranges::max_element(
      loops, {}, [](const AnalysedLoop& l) { return l.loop.length_ns(); });
  const auto time = [&](std::size_t k) { return longest.loop.border_ns[k] - windows.start(); };
  RunIterations& run = out.iterations.emplace();
  run.count = longest.loop.count;
  run.period_ns = longest.loop.period_ns();
  run.begin_ns = time(0);
  run.end_ns = time(run.count);
  run.changes = longest.changes.changes;
  run.trends = longest.changes.trends;
  run.off_processor_share = longest.changes.off_processor_share;
  run.times_in_mpi_count = longest.changes.times_in_mpi_count;
  for (const OutlierIteration& o : longest.changes.outliers) {
    run.outliers.push_back({o.iteration, time(o.iteration), time(o.iteration + 1), o.factor});
  }
}

/// Numbers intervals that behave alike, and takes the longest of each phase for its representative.
void find_phases(Monitor& out) {
  std::vector<std::size_t> first;
  for (FocusInterval& interval : out.intervals) {
    const auto known = std::ranges::find_if(
        first, [&](std::size_t i) { return alike(out.intervals[i], interval); });
    interval.phase = static_cast<std::size_t>(known - first.begin());
    if (known == first.end()) {
      first.push_back(static_cast<std::size_t>(&interval - out.intervals.data()));
    }
  }
  out.phases = first.size();
  for (std::size_t phase = 0; phase < out.phases; ++phase) {
    FocusInterval* longest = nullptr;
    for (FocusInterval& interval : out.intervals) {
      if (interval.phase != phase) continue;
      if (longest == nullptr ||
          interval.end_ns - interval.begin_ns > longest->end_ns - longest->begin_ns) {
        longest = &interval;
      }
    }
    if (longest != nullptr) longest->representative = true;
  }
}

void add_start_and_end(const RunWindows& windows, Monitor& out) {
  const auto interval = [&](IntervalKind kind, std::int64_t begin, std::int64_t end) {
    FocusInterval r;
    r.begin_ns = begin;
    r.end_ns = end;
    r.kind = kind;
    r.efficiency = windows.between(begin, end);
    return r;
  };
  const std::int64_t from = windows.analysed_begin();
  const std::int64_t to = windows.analysed_end();
  if (from > 0)
    out.intervals.insert(out.intervals.begin(), interval(IntervalKind::startup, 0, from));
  if (to < out.length_ns) {
    out.intervals.push_back(interval(IntervalKind::shutdown, to, out.length_ns));
  }
}

}  // namespace

void find_focus_intervals(const Trace& trace, const std::vector<AnalysedLoop>& loops,
                          const RunWindows& windows, Monitor& out) {
  make_intervals(loops.empty() ? borders_of(trace, windows) : borders_of(loops, windows), windows,
                 out);
  find_phases(out);
  add_start_and_end(windows, out);
  report_iterations(loops, windows, out);
}

}  // namespace slackline
