// How efficient the run is at each time, and when that changes.
//
// Every rank has a clock on the ideal network beside its own (ideal_replay.h). What the ideal clock
// gains while the own one gains a window's length is the window's transfer efficiency; computation
// in the window gives load balance and serialisation. The run is cut into fixed windows; where
// their efficiencies change level, a region ends (change_points.h), and each border is then looked
// for more finely around the window in which it lies. Regions that behave alike are one phase.

#include "diagnosis/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "analysis/measured.h"
#include "base/error.h"
#include "diagnosis/change_points.h"
#include "diagnosis/rank_clock.h"

namespace slackline {
namespace {

constexpr double kNoiseFloor = 0.02;  // of an efficiency: less is no change worth telling
constexpr double kAlike = 0.06;       // efficiencies of one phase differ by no more
constexpr double kGoodEnough = 0.9;   // a region above that is computing
constexpr std::size_t kFewestWindows = 8;
constexpr std::size_t kFinerBy = 16;
constexpr std::size_t kShortestRegion = 2;  // windows: shorter ones belong to their neighbour

constexpr FindingKind kReleased{
    "replay_released", Severity::notice,
    "Calls could not go on in the replay and were forced on; the ideal clock is not certain."};

class Windows {
 public:
  Windows(const Trace& trace, const IdealRun& ideal) {
    std::int64_t start = std::numeric_limits<std::int64_t>::max();
    std::int64_t stop = std::numeric_limits<std::int64_t>::min();
    for (std::int32_t r = 0; r < trace.ranks(); ++r) {
      const RankCalls& calls = trace.calls(r);
      if (calls.empty()) continue;
      start = std::min(start, calls.start_ns());
      stop = std::max(stop, calls.stop_ns());
      clocks_.emplace_back(calls, ideal, r);
    }
    if (stop > start) {
      start_ = start;
      length_ = stop - start;
      to_ = length_;
    }
    const std::optional<MeasuredRun> program = measured_run(trace);
    if (program && program->makespan_ns > 0) {
      from_ = std::clamp<std::int64_t>(program->begin_ns - start_, 0, length_);
      to_ = std::clamp<std::int64_t>(from_ + program->makespan_ns, from_, length_);
    }
  }

  std::int64_t start() const { return start_; }
  std::int64_t length() const { return length_; }
  /// Of the program between MPI_Init and MPI_Finalize, from the start of the run.
  std::int64_t program_begin() const { return from_; }
  std::int64_t program_end() const { return to_; }

  /// From and to count from the start of the run.
  WindowEfficiency between(std::int64_t from, std::int64_t to) const {
    WindowEfficiency e;
    if (to <= from || clocks_.empty()) return e;
    double sum = 0;
    double most = 0;
    double ideal = 0;
    for (const RankClock& clock : clocks_) {
      const RankClock::Reading a = clock.at(start_ + from);
      const RankClock::Reading b = clock.at(start_ + to);
      sum += b.useful_ns - a.useful_ns;
      most = std::max(most, b.useful_ns - a.useful_ns);
      ideal += b.ideal_ns - a.ideal_ns;
    }
    const auto ranks = static_cast<double>(clocks_.size());
    const auto observed = static_cast<double>(to - from);
    e.useful = sum / ranks / observed;
    e.load_balance = most > 0 ? sum / ranks / most : 1;
    e.transfer = std::clamp(ideal / ranks / observed, 0.0, 1.0);
    e.serialisation = ideal > 0 ? std::min(1.0, most / (ideal / ranks)) : 1;
    return e;
  }

 private:
  std::vector<RankClock> clocks_;
  std::int64_t start_ = 0;
  std::int64_t length_ = 0;
  std::int64_t from_ = 0;
  std::int64_t to_ = 0;
};

SignalSample sample_of(const WindowEfficiency& e) {
  return {e.useful, e.transfer, e.load_balance};
}

RegionKind kind_of(const WindowEfficiency& e) {
  if (e.useful >= kGoodEnough) return RegionKind::computing;
  const double worst = std::min({e.load_balance, e.serialisation, e.transfer});
  if (worst == e.transfer) return RegionKind::transfer;
  return worst == e.load_balance ? RegionKind::imbalance : RegionKind::serialisation;
}

/// The border between two levels, looked for in finer windows around `near`.
std::int64_t refined(const Windows& windows, std::int64_t near, std::int64_t width) {
  const std::int64_t from = std::max(windows.program_begin(), near - 2 * width);
  const std::int64_t to = std::min(windows.program_end(), near + 2 * width);
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

void measure_regions(const Windows& windows, Monitor& out) {
  for (std::size_t i = 0; i < out.regions.size(); ++i) {
    FocusRegion& region = out.regions[i];
    region.end_ns =
        i + 1 < out.regions.size() ? out.regions[i + 1].begin_ns : windows.program_end();
    region.efficiency = windows.between(region.begin_ns, region.end_ns);
    region.kind = kind_of(region.efficiency);
  }
}

double distance(const WindowEfficiency& a, const WindowEfficiency& b) {
  return std::max({std::abs(a.useful - b.useful), std::abs(a.transfer - b.transfer),
                   std::abs(a.load_balance - b.load_balance)});
}

bool alike(const FocusRegion& a, const FocusRegion& b) {
  return a.kind == b.kind && distance(a.efficiency, b.efficiency) <= kAlike;
}

/// Neighbours that behave alike are one region.
void merge_alike(Monitor& out) {
  std::vector<FocusRegion> merged;
  for (const FocusRegion& region : out.regions) {
    if (merged.empty() || !alike(merged.back(), region)) merged.push_back(region);
  }
  out.regions = std::move(merged);
}

void find_regions(const Windows& windows, Monitor& out) {
  std::vector<SignalSample> samples;
  for (const WindowEfficiency& e : out.windows) samples.push_back(sample_of(e));
  std::vector<ChangePoint> changes = change_points(samples, kNoiseFloor);
  const std::int64_t length = windows.program_end() - windows.program_begin();
  const std::int64_t width =
      std::max<std::int64_t>(1, length / static_cast<std::int64_t>(out.windows.size()));
  const auto begin_region = [&](std::int64_t begin, double confidence) {
    FocusRegion region;
    region.begin_ns = begin;
    region.confidence = confidence;
    out.regions.push_back(region);
  };
  begin_region(windows.program_begin(), 1);
  std::size_t previous = 0;
  for (const ChangePoint& c : changes) {
    if (c.at - previous < kShortestRegion || out.windows.size() - c.at < kShortestRegion) continue;
    previous = c.at;
    const std::int64_t border = refined(windows, out.border_ns[c.at], width);
    if (border - out.regions.back().begin_ns >= width) begin_region(border, c.confidence);
  }
  measure_regions(windows, out);
  merge_alike(out);
  measure_regions(windows, out);
}

/// Numbers regions that behave alike, and takes the longest of each phase for its representative.
void find_phases(Monitor& out) {
  std::vector<std::size_t> first;
  for (FocusRegion& region : out.regions) {
    const auto known =
        std::ranges::find_if(first, [&](std::size_t i) { return alike(out.regions[i], region); });
    region.phase = static_cast<std::size_t>(known - first.begin());
    if (known == first.end()) {
      first.push_back(static_cast<std::size_t>(&region - out.regions.data()));
    }
  }
  out.phases = first.size();
  for (std::size_t phase = 0; phase < out.phases; ++phase) {
    FocusRegion* longest = nullptr;
    for (FocusRegion& region : out.regions) {
      if (region.phase != phase) continue;
      if (longest == nullptr ||
          region.end_ns - region.begin_ns > longest->end_ns - longest->begin_ns) {
        longest = &region;
      }
    }
    if (longest != nullptr) longest->representative = true;
  }
}

void add_start_and_end(const Windows& windows, Monitor& out) {
  const auto region = [&](RegionKind kind, std::int64_t begin, std::int64_t end) {
    FocusRegion r;
    r.begin_ns = begin;
    r.end_ns = end;
    r.kind = kind;
    r.efficiency = windows.between(begin, end);
    return r;
  };
  const std::int64_t from = windows.program_begin();
  const std::int64_t to = windows.program_end();
  if (from > 0) out.regions.insert(out.regions.begin(), region(RegionKind::startup, 0, from));
  if (to < out.length_ns) {
    out.regions.push_back(region(RegionKind::shutdown, to, out.length_ns));
  }
}

FocusRegion* region_at(Monitor& out, std::int64_t time) {
  const auto after = std::ranges::upper_bound(out.regions, time, {}, &FocusRegion::begin_ns);
  return after == out.regions.begin() ? nullptr : &*std::prev(after);
}

void add_waiting(const Trace& trace, const WaitStates& waits, std::int64_t start, Monitor& out) {
  std::vector<std::array<std::int64_t, kWaitPatterns>> sums(out.regions.size());
  for (const WaitState& s : waits.states) {
    if (!s.effective) continue;
    FocusRegion* region = region_at(out, trace.calls(s.rank).begin_ns(s.call) - start);
    if (region == nullptr) continue;
    region->waiting_ns += s.wait_ns;
    sums[static_cast<std::size_t>(region - out.regions.data())]
        [static_cast<std::size_t>(s.pattern)] += s.wait_ns;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto most = std::ranges::max_element(sums[i]);
    if (*most > 0) {
      out.regions[i].main_pattern = static_cast<WaitPattern>(most - sums[i].begin());
    }
  }
}

void add_path(const Trace& trace, const MeasuredPath& path, Monitor& out) {
  std::vector<std::vector<std::int64_t>> on_rank(
      out.regions.size(), std::vector<std::int64_t>(static_cast<std::size_t>(trace.ranks())));
  std::size_t region = 0;
  for (const ActivitySegment& s : path.segments) {
    // Segments and regions are both in order of time; a segment may lie in several regions.
    while (region + 1 < out.regions.size() && out.regions[region].end_ns <= s.begin_ns) ++region;
    for (std::size_t i = region; i < out.regions.size() && out.regions[i].begin_ns < s.end_ns;
         ++i) {
      on_rank[i][static_cast<std::size_t>(s.rank)] +=
          std::min(s.end_ns, out.regions[i].end_ns) - std::max(s.begin_ns, out.regions[i].begin_ns);
    }
  }
  for (std::size_t i = 0; i < on_rank.size(); ++i) {
    FocusRegion& r = out.regions[i];
    const auto most = std::ranges::max_element(on_rank[i]);
    if (*most == 0) continue;
    r.path_rank = static_cast<std::int32_t>(most - on_rank[i].begin());
    r.path_share =
        std::min(1.0, static_cast<double>(*most) /
                          static_cast<double>(std::max<std::int64_t>(1, r.end_ns - r.begin_ns)));
  }
}

std::int64_t start_of_run(const Trace& trace) {
  std::int64_t start = std::numeric_limits<std::int64_t>::max();
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    if (!trace.calls(r).empty()) start = std::min(start, trace.calls(r).start_ns());
  }
  return start;
}

std::int32_t busiest_rank(const Trace& trace) {
  std::int32_t most = 0;
  for (std::int32_t r = 1; r < trace.ranks(); ++r) {
    if (trace.calls(r).size() > trace.calls(most).size()) most = r;
  }
  return most;
}

}  // namespace

std::string_view to_string(RegionKind kind) {
  switch (kind) {
    case RegionKind::computing:
      return "computing";
    case RegionKind::imbalance:
      return "imbalance";
    case RegionKind::serialisation:
      return "serialisation";
    case RegionKind::transfer:
      return "transfer";
    case RegionKind::startup:
      return "start-up";
    case RegionKind::shutdown:
      return "shut-down";
  }
  return "computing";
}

TransferMonitor transfer_monitor(const Trace& trace, const IdealRun& ideal, std::int32_t rank) {
  TransferMonitor m;
  const RankCalls& calls = trace.calls(rank);
  const auto r = static_cast<std::size_t>(rank);
  const std::int64_t start = start_of_run(trace);
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
    if (operation == Operation::init || operation == Operation::init_thread) continue;
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
    throw Error("cannot monitor an untimed trace", "it says what the program does and not when",
                "Record a run of the program.");
  }
  const IdealRun ideal = ideal_run(trace, matching, options.ideal);
  const WaitStates waits = wait_states(trace, matching);
  const MeasuredPath path = measured_path(trace, matching, paths, {});
  Monitor out = monitor(trace, {ideal, waits, path}, options);
  out.findings.merge(matching.findings());
  return out;
}

Monitor monitor(const Trace& trace, const MonitorInputs& inputs, const MonitorOptions& options) {
  if (options.rank && (*options.rank < 0 || *options.rank >= trace.ranks())) {
    throw usage_error(fmt::format("there is no rank {}", *options.rank),
                      fmt::format("the trace has {}", trace.ranks()));
  }
  Monitor out;
  if (inputs.ideal.released > 0) out.findings.add(kReleased, {}, inputs.ideal.released);
  out.rank = options.rank ? *options.rank : busiest_rank(trace);
  out.transfer = transfer_monitor(trace, inputs.ideal, out.rank);
  const Windows windows(trace, inputs.ideal);
  out.length_ns = windows.length();
  if (out.length_ns <= 0) return out;
  const std::size_t count = std::max(kFewestWindows, options.windows);
  for (std::size_t i = 0; i <= count; ++i) {
    const auto length = static_cast<double>(windows.program_end() - windows.program_begin());
    out.border_ns.push_back(
        windows.program_begin() +
        static_cast<std::int64_t>(length * static_cast<double>(i) / static_cast<double>(count)));
  }
  for (std::size_t i = 0; i < count; ++i) {
    out.windows.push_back(windows.between(out.border_ns[i], out.border_ns[i + 1]));
  }
  find_regions(windows, out);
  find_phases(out);
  add_start_and_end(windows, out);
  add_waiting(trace, inputs.waits, windows.start(), out);
  add_path(trace, inputs.path, out);
  return out;
}

}  // namespace slackline
