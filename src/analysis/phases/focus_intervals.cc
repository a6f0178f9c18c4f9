// Where a run changes its behaviour: at the borders of its loops, between iterations from which on
// the ranks' computation or communication differs (loop_changes.h), and outside of loops where the
// efficiencies of fixed windows change level. Intervals that behave alike anywhere are one phase.

#include "analysis/phases/focus_intervals.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/phases/level_changes.h"
#include "analysis/phases/loop_changes.h"

namespace slackline {
namespace {

constexpr double kLeastChange = 0.05;      // of an efficiency: less is no change worth reporting
constexpr double kAlike = 0.06;            // efficiencies of one phase differ by no more
constexpr double kGoodEnough = 0.9;        // an interval above that is computing
constexpr double kShortInterval = 0.05;    // of the run: less is set apart only where it differs
constexpr std::size_t kCallsInWindow = 4;  // of a rank: fewer show single calls and no behaviour
constexpr std::size_t kFewestWindowsOfShort =
    4;  // show how a short interval without iterations behaves
constexpr std::size_t kFewestForChanges = 16;
constexpr std::size_t kMostForChanges = 256;

/// Where an interval begins, from the start of the run.
struct Border {
  std::int64_t at_ns;
  double confidence = 1;
};

IntervalKind kind_of(const WindowEfficiency& e) {
  const double worst = std::min({e.load_balance, e.serialisation, e.transfer});
  if (e.openmp && *e.openmp < std::min(kGoodEnough, worst)) return IntervalKind::threads;
  if (e.useful >= kGoodEnough) return IntervalKind::computing;
  if (worst == e.transfer) return IntervalKind::transfer;
  return worst == e.load_balance ? IntervalKind::imbalance : IntervalKind::serialisation;
}

void measure_intervals(RunWindows& windows, Monitor& out) {
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
                   std::abs(a.load_balance - b.load_balance),
                   std::abs(a.openmp.value_or(1) - b.openmp.value_or(1))});
}

bool alike(const FocusInterval& a, const FocusInterval& b) {
  return a.kind == b.kind && distance(a.efficiency, b.efficiency) <= kAlike &&
         (a.kind != IntervalKind::imbalance ||
          a.efficiency.busiest_rank == b.efficiency.busiest_rank);
}

/// A stretch of the run that is a loop, or lies between loops; times from the start of the run.
struct Stretch {
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::optional<double> period_ns{};  // of a loop
  std::vector<Border> changes{};      // in it

  std::int64_t length_ns() const { return end_ns - begin_ns; }
};

/// Divides the analysed interval into stretches.
class StretchSearch {
 public:
  StretchSearch(const std::vector<AnalysedLoop>& loops, RunWindows& windows)
      : loops_(loops),
        windows_(windows),
        length_(static_cast<double>(windows.analysed_end() - windows.analysed_begin())) {}

  std::vector<Border> borders() {
    std::vector<Stretch> all = stretches();
    find_changes(all);
    std::vector<Border> borders;
    for (const Stretch& s : joined(std::move(all))) {
      borders.push_back({s.begin_ns});
      borders.insert(borders.end(), s.changes.begin(), s.changes.end());
    }
    return borders;
  }

 private:
  /// With the changes of loops only.
  std::vector<Stretch> stretches() const {
    std::vector<Stretch> all;
    std::int64_t now = windows_.analysed_begin();
    const auto outside_until = [&](std::int64_t end) {
      if (end > now) all.push_back({now, end});
    };
    for (const AnalysedLoop& analysed : loops_) {
      const IterationLoop& loop = analysed.loop;
      const auto time = [&](std::size_t k) {
        return std::clamp(loop.border_ns[k] - windows_.start(), now, windows_.analysed_end());
      };
      Stretch s{time(0), time(loop.count), loop.period_ns()};
      for (const IterationChange& c : analysed.changes.changes) {
        s.changes.push_back({time(c.iteration), c.confidence});
      }
      outside_until(s.begin_ns);
      now = s.end_ns;
      all.push_back(std::move(s));
    }
    outside_until(windows_.analysed_end());
    return all;
  }

  /// Outside of loops: where the efficiencies of windows change.
  void find_changes(std::vector<Stretch>& all) {
    windows_.expect(0);
    windows_.expect(windows_.length());
    for (const Stretch& s : all) {
      windows_.expect(s.begin_ns);
      windows_.expect(s.end_ns);
      for (const Border& change : s.changes) windows_.expect(change.at_ns);
    }
    std::vector<std::vector<std::int64_t>> times;
    for (const Stretch& s : all) {
      times.push_back(s.period_ns ? std::vector<std::int64_t>() : window_borders(s));
      for (const std::int64_t time : times.back()) windows_.expect(time);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!times[i].empty()) all[i].changes = changes_at(times[i]);
    }
  }

  /// Without those that are not worth an interval of their own: they belong to the stretch before.
  std::vector<Stretch> joined(std::vector<Stretch> all) {
    std::vector<Stretch> kept;
    for (Stretch& s : all) {
      if (!kept.empty() && belongs_to(s, kept.back())) {
        kept.back().end_ns = s.end_ns;
        continue;
      }
      if (kept.size() == 1 && belongs_to(kept.back(), s)) {
        s.begin_ns = kept.back().begin_ns;
        kept.pop_back();
      }
      kept.push_back(std::move(s));
    }
    return kept;
  }

  bool belongs_to(const Stretch& s, const Stretch& other) {
    if (!s.period_ns && static_cast<double>(s.length_ns()) < other.period_ns.value_or(0)) {
      return true;
    }
    const double share = static_cast<double>(s.length_ns()) / length_;
    if (share >= kShortInterval) return false;
    if (share < kShortestInterval) return true;
    const bool has_few_calls = !s.period_ns && calls_in(s) < kFewestWindowsOfShort * kCallsInWindow;
    return has_few_calls || distance(efficiency(s), efficiency(other)) <= kLeastChange;
  }

  std::size_t calls_in(const Stretch& s) { return windows_.calls_between(s.begin_ns, s.end_ns); }
  WindowEfficiency efficiency(const Stretch& s) { return windows_.between(s.begin_ns, s.end_ns); }

  /// Borders of windows; none where they would be too few.
  std::vector<std::int64_t> window_borders(const Stretch& s) {
    const std::size_t count = std::min(kMostForChanges, calls_in(s) / kCallsInWindow);
    std::vector<std::int64_t> times;
    if (count < kFewestForChanges || s.length_ns() < static_cast<std::int64_t>(count)) return times;
    for (std::size_t i = 0; i <= count; ++i) {
      times.push_back(s.begin_ns + static_cast<std::int64_t>(static_cast<double>(s.length_ns()) *
                                                             static_cast<double>(i) /
                                                             static_cast<double>(count)));
    }
    return times;
  }

  /// Without iterations.
  std::vector<Border> changes_at(const std::vector<std::int64_t>& times) {
    std::vector<StepSeries> series(3,
                                   {.values = {}, .least_change = kLeastChange, .by_ratio = false});
    for (std::size_t i = 0; i < series.size(); ++i) series[i].group = i;
    StepSeries openmp = series.front();
    openmp.group = series.size();
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
      const WindowEfficiency e = windows_.between(times[i], times[i + 1]);
      series[0].values.push_back(e.useful);
      series[1].values.push_back(e.transfer);
      series[2].values.push_back(e.load_balance);
      if (e.openmp) openmp.values.push_back(*e.openmp);
    }
    if (!openmp.values.empty()) series.push_back(std::move(openmp));
    std::vector<Border> borders;
    for (const LevelChange& c : level_changes(series).changes) {
      borders.push_back({times[c.at], c.confidence});
    }
    return borders;
  }

  const std::vector<AnalysedLoop>& loops_;
  RunWindows& windows_;
  double length_;
};

void make_intervals(std::vector<Border> borders, RunWindows& windows, Monitor& out) {
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

void add_start_and_end(RunWindows& windows, Monitor& out) {
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

void find_focus_intervals(const std::vector<AnalysedLoop>& loops, RunWindows& windows,
                          Monitor& out) {
  make_intervals(StretchSearch(loops, windows).borders(), windows, out);
  find_phases(out);
  add_start_and_end(windows, out);
  report_iterations(loops, windows, out);
}

}  // namespace slackline
