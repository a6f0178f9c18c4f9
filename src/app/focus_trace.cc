#include "app/focus_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "analysis/phases/monitor.h"
#include "base/file.h"
#include "base/units.h"
#include "calls/findings.h"
#include "formats/native/pieces.h"
#include "formats/native/writer.h"
#include "formats/open/open.h"
#include "parallel/process_group.h"
#include "stretches/stretched_trace.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

/// A rank's calls [from, to) and the gaps before them, but that before the first one.
struct KeptCalls {
  std::size_t from;
  std::size_t to;
};

/// Which calls of a rank stay, and as which.
class KeptOfRank {
 public:
  explicit KeptOfRank(std::vector<KeptCalls> ranges) : ranges_(std::move(ranges)) {}

  std::span<const KeptCalls> ranges() const { return ranges_; }
  /// The number of the first call that stays of those from `call` on.
  std::uint32_t number(std::size_t call) const {
    std::size_t before = 0;
    for (const KeptCalls& of : ranges_) {
      before += std::clamp(call, of.from, of.to) - of.from;
    }
    return static_cast<std::uint32_t>(before);
  }
  /// Whether the gap before that call stays. O(ranges).
  bool has_gap(std::size_t call) const {
    return std::ranges::any_of(ranges_, [&](const KeptCalls& of) {
      const bool first = of.from == 0 && call == 0;
      return first || (call > of.from && call < of.to) || (call == of.to && &of == &ranges_.back());
    });
  }

 private:
  std::vector<KeptCalls> ranges_;
};

/// What lies in gaps that stay.
template <class T>
std::vector<T> kept_of(std::span<const T> all, const KeptOfRank& kept) {
  std::vector<T> out;
  for (T of : all) {
    if (!kept.has_gap(of.before_call)) continue;
    of.before_call = kept.number(of.before_call);
    out.push_back(of);
  }
  return out;
}

/// What counters gain in the calls that are dropped is dropped, too.
void copy_rank(const RankCalls& calls, const KeptOfRank& kept, std::size_t counters,
               RankCallsBuilder& out) {
  out.set_start_ns(calls.start_ns());
  out.set_stop_ns(calls.stop_ns());
  std::vector<Pause> pauses = kept_of(calls.pauses(), kept);
  const KeptCalls* before = nullptr;
  for (const KeptCalls& of : kept.ranges()) {
    if (before != nullptr) {
      pauses.push_back({calls.end_ns(before->to - 1), calls.begin_ns(of.from),
                        static_cast<std::uint32_t>(out.size()), PauseKind::other});
    }
    for (std::size_t i = of.from; i < of.to; ++i) out.append(calls[i]);
    before = &of;
  }
  std::ranges::stable_sort(pauses, {}, &Pause::begin_ns);
  for (const Pause& pause : pauses) out.append_pause(pause);
  // All of them: what is entered in a part that is dropped may be left in one that is kept.
  std::vector<RegionEvent> regions(calls.regions().begin(), calls.regions().end());
  for (RegionEvent& event : regions) event.before_call = kept.number(event.before_call);
  out.set_regions(std::move(regions));
  const std::span<const RecordingCost> costs = calls.recording_costs();
  out.set_recording_costs({costs.begin(), costs.end()});
  for (std::size_t c = 0; c < counters; ++c) {
    std::vector<std::uint64_t> gains(out.size() + 1);
    for (std::size_t gap = 0; gap <= calls.size(); ++gap) {
      if (kept.has_gap(gap)) gains[kept.number(gap)] = calls.counter(c, gap);
    }
    out.set_counter(c, std::move(gains));
  }
}

/// In the order of the run.
using Cuts = std::vector<Cut>;

/// Between which cuts the interval lies, as numbers; those before the first and after the last cut
/// stand for the ends of the program.
std::pair<std::size_t, std::size_t> around(const Trace& trace, const Cuts& cuts,
                                           const TimeInterval& interval) {
  const auto is_at_all = [&](const Cut& cut, const auto& holds) {
    for (std::size_t r = 0; r < cut.size(); ++r) {
      if (!holds(trace.calls(static_cast<std::int32_t>(r)), cut[r].call)) return false;
    }
    return true;
  };
  const auto first_after = std::ranges::partition_point(cuts, [&](const Cut& cut) {
    return is_at_all(cut, [&](const RankCalls& calls, CallIndex call) {
      return calls.begin_ns(call) <= interval.begin_ns;
    });
  });
  const auto end = std::ranges::partition_point(cuts, [&](const Cut& cut) {
    return !is_at_all(cut, [&](const RankCalls& calls, CallIndex call) {
      return calls.end_ns(call) >= interval.end_ns;
    });
  });
  return {static_cast<std::size_t>(first_after - cuts.begin()),
          static_cast<std::size_t>(end - cuts.begin()) + 1};
}

/// From cut to cut, numbered from 1; 0 is where MPI_Init returns.
KeptOfRank kept_of_rank(const RankCalls& calls, std::size_t rank, const Cuts& cuts,
                        std::span<const std::pair<std::size_t, std::size_t>> parts) {
  const RankSpan span = rank_span(calls);
  std::vector<KeptCalls> ranges{{0, span.first_call}};
  const auto add = [&](std::size_t from, std::size_t to) {
    if (to > from && from <= ranges.back().to) {
      ranges.back().to = std::max(ranges.back().to, to);
    } else if (to > from) {
      ranges.push_back({from, to});
    }
  };
  for (const auto& [first, last] : parts) {
    add(first == 0 ? span.first_call : cuts[first - 1][rank].call,
        last > cuts.size() ? span.last_call : cuts[last - 1][rank].call + std::size_t{1});
  }
  add(span.last_call, calls.size());
  if (ranges.front().to == ranges.front().from) ranges.erase(ranges.begin());
  return KeptOfRank(std::move(ranges));
}

std::vector<TimeInterval> representatives(const Trace& trace, const CallMatching& matching) {
  const Monitor found = monitor(trace, matching, CallPaths(trace), {});
  const std::int64_t start = run_span(trace).whole.begin_ns;
  std::vector<TimeInterval> intervals;
  for (const FocusInterval& interval : found.intervals) {
    if (!interval.representative) continue;
    intervals.push_back({start + interval.begin_ns, start + interval.end_ns});
  }
  return intervals;
}

/// Without those that overlap or touch, ascending.
std::vector<TimeInterval> merged(std::vector<TimeInterval> intervals) {
  std::ranges::sort(intervals, {}, &TimeInterval::begin_ns);
  std::vector<TimeInterval> out;
  for (const TimeInterval& interval : intervals) {
    if (!out.empty() && interval.begin_ns <= out.back().end_ns) {
      out.back().end_ns = std::max(out.back().end_ns, interval.end_ns);
    } else {
      out.push_back(interval);
    }
  }
  return out;
}

/// The whole trace without these calls; `result.kept` is set.
Trace reduced(const Trace& trace, const Cuts& cuts,
              std::span<const std::pair<std::size_t, std::size_t>> parts, Samples& samples,
              FocusTrace& result) {
  TraceBuilder out = TraceBuilder::without_calls(trace, true);
  for (const std::string& counter : trace.counters()) out.add_counter(counter);
  const std::int64_t start = run_span(trace).whole.begin_ns;
  std::vector<TimeInterval> kept(parts.size(), {INT64_MAX, INT64_MIN});
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    const auto rank = static_cast<std::size_t>(r);
    const KeptOfRank of = kept_of_rank(calls, rank, cuts, parts);
    copy_rank(calls, of, trace.counters().size(), out.calls(r));
    samples.set(r, kept_of(samples.of(r), of));
    result.dropped_calls += calls.size() - out.calls(r).size();
    const RankSpan span = rank_span(calls);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto [first, last] = parts[p];
      kept[p].begin_ns = std::min(
          kept[p].begin_ns,
          (first == 0 ? span.analysed.begin_ns : calls.begin_ns(cuts[first - 1][rank].call)) -
              start);
      kept[p].end_ns = std::max(
          kept[p].end_ns,
          (last > cuts.size() ? span.analysed.end_ns : calls.end_ns(cuts[last - 1][rank].call)) -
              start);
    }
  }
  result.kept = merged(std::move(kept));
  std::vector<std::string> shown;
  for (const TimeInterval& interval : result.kept) {
    shown.push_back(fmt::format("kept: {} to {}",
                                format_time_ns(static_cast<double>(interval.begin_ns)),
                                format_time_ns(static_cast<double>(interval.end_ns))));
  }
  out.findings().add(kOutsideOfFocus, fmt::format("{}", fmt::join(shown, ", ")),
                     result.dropped_calls);
  return std::move(out).build();
}

}  // namespace

FocusTrace reduce_to_focus(const std::filesystem::path& path) {
  FocusTrace result;
  OpenedTrace opened = open_trace(path);
  result.calls = opened.trace.call_count();
  const MappedFile file(path);
  SingleProcess alone;
  StretchedTrace search(NativePieces(file.bytes(), path.string()), alone);
  result.why_whole = search.obstacle();
  if (!result.why_whole.empty()) return result;
  const Cuts cuts = search.all_cuts(alone);
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  for (const TimeInterval& interval : representatives(opened.trace, matching_of(opened))) {
    parts.push_back(around(opened.trace, cuts, interval));
  }
  if (cuts.empty() || parts.empty()) {
    result.why_whole = "no collective of all ranks over which nothing is open";
    return result;
  }
  const Trace kept = reduced(opened.trace, cuts, parts, opened.samples, result);
  if (result.dropped_calls > 0) {
    write_native(kept, path, opened.samples);
  } else {
    result.why_whole = "no calls outside of its focus regions";
  }
  return result;
}

}  // namespace slackline
