// Where a run changes its behaviour. The efficiencies of its fixed windows are a signal; where it
// changes level, a interval ends (change_points.h), and each border is then looked for more finely
// around the window in which it lies. Neighbours that behave alike become one interval again, and
// intervals that behave alike anywhere are one phase.

#include "analysis/phases/focus_intervals.h"

#include <algorithm>
#include <cmath>

#include "analysis/phases/change_points.h"

namespace slackline {
namespace {

constexpr double kNoiseFloor = 0.02;  // of an efficiency: less is no change worth telling
constexpr double kAlike = 0.06;       // efficiencies of one phase differ by no more
constexpr double kGoodEnough = 0.9;   // a interval above that is computing
constexpr std::size_t kFinerBy = 16;
constexpr std::size_t kShortestInterval = 2;  // windows: shorter ones belong to their neighbour

SignalSample sample_of(const WindowEfficiency& e) {
  return {e.useful, e.transfer, e.load_balance};
}

IntervalKind kind_of(const WindowEfficiency& e) {
  if (e.useful >= kGoodEnough) return IntervalKind::computing;
  const double worst = std::min({e.load_balance, e.serialisation, e.transfer});
  if (worst == e.transfer) return IntervalKind::transfer;
  return worst == e.load_balance ? IntervalKind::imbalance : IntervalKind::serialisation;
}

/// The border between two levels, looked for in finer windows around `near`.
std::int64_t refined(const RunWindows& windows, std::int64_t near, std::int64_t width) {
  const std::int64_t from = std::max(windows.analysed_begin(), near - 2 * width);
  const std::int64_t to = std::min(windows.analysed_end(), near + 2 * width);
  const std::int64_t step = (to - from) / static_cast<std::int64_t>(4 * kFinerBy);
  if (step <= 0) return near;
  std::vector<SignalSample> samples;
  for (std::int64_t t = from; t + step <= to; t += step) {
    samples.push_back(sample_of(windows.between(t, t + step)));
  }
  // The one border that splits them best.
  SignalSample whole{};
  for (const SignalSample& s : samples) {
    for (std::size_t k = 0; k < s.size(); ++k) whole[k] += s[k];
  }
  SignalSample before{};
  double best = -1;
  std::size_t at = samples.size() / 2;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    double spread = 0;
    const auto left = static_cast<double>(i);
    const auto right = static_cast<double>(samples.size() - i);
    for (std::size_t k = 0; k < before.size(); ++k) {
      before[k] += samples[i - 1][k];
      spread += std::pow(before[k] / left - (whole[k] - before[k]) / right, 2);
    }
    spread *= left * right;
    if (spread > best) {
      best = spread;
      at = i;
    }
  }
  return from + static_cast<std::int64_t>(at) * step;
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
  return a.kind == b.kind && distance(a.efficiency, b.efficiency) <= kAlike;
}

/// Neighbours that behave alike are one interval.
void merge_alike(Monitor& out) {
  std::vector<FocusInterval> merged;
  for (const FocusInterval& interval : out.intervals) {
    if (merged.empty() || !alike(merged.back(), interval)) merged.push_back(interval);
  }
  out.intervals = std::move(merged);
}

void find_intervals(const RunWindows& windows, Monitor& out) {
  std::vector<SignalSample> samples;
  for (const WindowEfficiency& e : out.windows) samples.push_back(sample_of(e));
  std::vector<ChangePoint> changes = change_points(samples, kNoiseFloor);
  const std::int64_t length = windows.analysed_end() - windows.analysed_begin();
  const std::int64_t width =
      std::max<std::int64_t>(1, length / static_cast<std::int64_t>(out.windows.size()));
  const auto begin_interval = [&](std::int64_t begin, double confidence) {
    FocusInterval interval;
    interval.begin_ns = begin;
    interval.confidence = confidence;
    out.intervals.push_back(interval);
  };
  begin_interval(windows.analysed_begin(), 1);
  std::size_t previous = 0;
  for (const ChangePoint& c : changes) {
    if (c.at - previous < kShortestInterval || out.windows.size() - c.at < kShortestInterval)
      continue;
    previous = c.at;
    const std::int64_t border = refined(windows, out.border_ns[c.at], width);
    if (border - out.intervals.back().begin_ns >= width) begin_interval(border, c.confidence);
  }
  measure_intervals(windows, out);
  merge_alike(out);
  measure_intervals(windows, out);
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

void find_focus_intervals(const RunWindows& windows, Monitor& out) {
  find_intervals(windows, out);
  find_phases(out);
  add_start_and_end(windows, out);
}

}  // namespace slackline
