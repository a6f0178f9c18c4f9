// A run, stretch by stretch.
//
// At a collective that no rank leaves before all have entered, with no message in flight and no
// request open, what comes later depends on what was before by its dates alone. So each
// stretch between two of these is a run of its own: its waiting has its causes inside of it, and on
// the ideal network all ranks leave such a collective at the same moment. Both ends of a stretch
// are calls of it: from the first one on it is known when its ranks went on.

#include "stretches/stretched_trace.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/parallel.h"
#include "trace/rank_range.h"
#include "trace/sound_calls.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

RankRange ranks_of(std::span<const std::uint64_t> calls, const ProcessGroup& group) {
  return rank_blocks(calls, group.size())[static_cast<std::size_t>(group.rank())];
}

/// What lies in the gaps from `first` to `last`, with calls numbered from `from` on.
template <class T>
std::vector<T> in_gaps(std::span<const T> all, std::uint64_t from, std::uint64_t first,
                       std::uint64_t last) {
  std::vector<T> inside;
  auto at = std::ranges::lower_bound(all, first, {}, &T::before_call);
  for (; at != all.end() && at->before_call <= last; ++at) {
    inside.push_back(*at);
    inside.back().before_call -= static_cast<std::uint32_t>(from);
  }
  return inside;
}

}  // namespace

StretchedTrace::StretchedTrace(NativePieces pieces, ProcessGroup& group, ScanEnd end)
    : pieces_(std::move(pieces)),
      own_(ranks_of(pieces_.calls(), group)),
      search_(own_),
      details_(static_cast<std::size_t>(job().ranks())) {
  const auto count = static_cast<std::size_t>(own_.end - own_.first);
  std::vector<RankScan::Result> scans(count);
  parallel_for(count, [&](std::size_t i) {
    RankScan::Result& result = scans[i];
    if (!job().timed()) {
      result.obstacle = "no timestamps";
    } else if (!pieces_.complete() ||
               !scan(own_.first + static_cast<std::int32_t>(i), end, result)) {
      result.obstacle = "damaged parts";
    }
  });
  if (!keeps_nesting_limit(job().call_tree()) && !scans.empty()) {
    scans.front().obstacle = "deeply nested call paths";
  }
  for (RankScan::Result& result : scans) search_.add(std::move(result));
  search_.gather(group);
}

bool StretchedTrace::scan(std::int32_t rank, ScanEnd end, RankScan::Result& result) {
  RankScan scan(job(), rank);
  if (!pieces_.for_each_block(rank, [&](const RankCalls& calls) { scan.add(calls); })) return false;
  Details& details = details_[static_cast<std::size_t>(rank)].emplace();
  if (!pieces_.read_details(rank, scan.last_end_ns(), details.of_rank, details.samples)) {
    return false;
  }
  result = scan.take(details.of_rank, end);
  return true;
}

void StretchedTrace::cut(std::uint64_t stretches, ProcessGroup& group) {
  cuts_ = search_.choose(stretches, group);
}

void StretchedTrace::cut_at_last(ProcessGroup& group) {
  cuts_ = all_cuts(group);
  if (cuts_.size() > 1) cuts_.erase(cuts_.begin(), std::prev(cuts_.end()));
}

// The gap before a stretch's first call belongs to the one before it, as does what follows its last
// call to the next one.
StretchedTrace::Extent StretchedTrace::extent(std::size_t number, std::size_t rank) const {
  const bool first = number == 0;
  const bool last = number == cuts_.size();
  Extent of{};
  of.from = first ? 0 : cuts_[number - 1][rank].call;
  of.to = last ? pieces_.calls()[rank] : std::uint64_t{cuts_[number][rank].call} + 1;
  of.first_gap = first ? of.from : of.from + 1;
  of.last_gap = last ? of.to : of.to - 1;
  return of;
}

std::uint64_t StretchedTrace::longest() const {
  std::uint64_t most = 0;
  for (std::size_t s = 0; s < size(); ++s) {
    std::uint64_t calls = 0;
    for (std::size_t r = 0; r < details_.size(); ++r) {
      const Extent of = extent(s, r);
      calls += of.to - of.from;
    }
    most = std::max(most, calls);
  }
  return most;
}

bool StretchedTrace::read_details() {
  std::atomic<bool> complete = true;
  parallel_for(details_.size(), [&](std::size_t r) {
    if (details_[r]) return;
    Details& details = details_[r].emplace();
    if (!pieces_.read_details(static_cast<std::int32_t>(r), search_.last_ends_ns()[r],
                              details.of_rank, details.samples)) {
      complete = false;
    }
  });
  return complete;
}

bool StretchedTrace::has_time_off() const {
  return std::ranges::any_of(details_, [](const std::optional<Details>& details) {
    return details &&
           !(details->of_rank.pauses().empty() && details->of_rank.recording_costs().empty());
  });
}

CallPaths StretchedTrace::paths_of(const Trace& trace) const {
  return search_.regions().size() > 1 ? CallPaths(trace, search_.regions())
                                      : CallPaths::of_functions(trace);
}

/// The regions that a rank is in where a stretch begins, as if it entered them there.
std::vector<RegionEvent> StretchedTrace::open_regions(std::size_t number, std::size_t rank,
                                                      std::int64_t time_ns) const {
  std::vector<RegionEvent> events;
  const RegionTree& regions = search_.regions();
  for (PathId path = cuts_[number - 1][rank].path; path != 0; path = regions[path].parent) {
    events.push_back({.time_ns = time_ns,
                      .region = static_cast<std::uint32_t>(regions[path].region),
                      .before_call = 0,
                      .enter = true});
  }
  std::ranges::reverse(events);
  return events;
}

bool StretchedTrace::fill(std::size_t number, const RunPart& part, std::size_t rank,
                          const Extent& of, RankCallsBuilder& out) const {
  const RankCalls& details = details_[rank]->of_rank;
  std::vector<RegionEvent> events;
  if (!pieces_.append_calls(static_cast<std::int32_t>(rank), of.from, of.to, out, events)) {
    return false;
  }
  std::vector<RegionEvent> regions =
      part.first ? std::vector<RegionEvent>() : open_regions(number, rank, out.begin_ns(0));
  for (const RegionEvent& event : events) {
    const std::uint64_t gap = of.from + event.before_call;
    if (gap >= of.first_gap && gap <= of.last_gap) regions.push_back(event);
  }
  out.set_regions(std::move(regions));
  out.set_start_ns(part.first ? details.start_ns() : out.begin_ns(0));
  if (part.last) out.set_stop_ns(details.stop_ns());
  const std::span<const RecordingCost> costs = details.recording_costs();
  out.set_recording_costs({costs.begin(), costs.end()});
  for (const Pause& pause : in_gaps(details.pauses(), of.from, of.first_gap, of.last_gap)) {
    out.append_pause(pause);
  }
  for (std::size_t c = 0; c < job().counters().size(); ++c) {
    std::vector<std::uint64_t> gains(out.size() + (part.last ? 1 : 0));
    for (std::size_t gap = part.lead(); gap < gains.size(); ++gap) {
      gains[gap] = details.counter(c, static_cast<std::size_t>(of.from) + gap);
    }
    out.set_counter(c, std::move(gains));
  }
  return true;
}

std::optional<Trace> StretchedTrace::read(std::size_t number, const RunPart& part,
                                          std::span<const Extent> extents) const {
  TraceBuilder trace = TraceBuilder::without_calls(job(), true);
  trace.findings() = {};
  for (const std::string& counter : job().counters()) trace.add_counter(counter);
  std::vector<std::size_t> counts;
  for (const Extent& of : extents) counts.push_back(static_cast<std::size_t>(of.to - of.from));
  trace.reserve_calls(counts);
  std::atomic<bool> complete = true;
  parallel_for(extents.size(), [&](std::size_t r) {
    RankCallsBuilder& calls = trace.calls(static_cast<std::int32_t>(r));
    if (counts[r] > 0 && !fill(number, part, r, extents[r], calls)) complete = false;
  });
  if (!complete) return std::nullopt;
  return std::move(trace).build();
}

std::optional<Trace> StretchedTrace::load_ranks(RankRange ranks) const {
  std::vector<Extent> extents(details_.size(), Extent{0, 0, 0, 0});
  for (std::size_t r = 0; r < extents.size(); ++r) {
    const std::uint64_t calls = pieces_.calls()[r];
    if (ranks.contains(r)) extents[r] = {0, calls, 0, calls};
  }
  return read(0, {}, extents);
}

std::optional<Stretch> StretchedTrace::load(std::size_t number) {
  if (!read_details()) return std::nullopt;
  const RunPart part{number == 0, number == cuts_.size()};
  Samples samples{.interval_ns = pieces_.sampling_ns()};
  std::vector<CallIndex> first_calls;
  std::vector<Extent> extents;
  for (std::size_t r = 0; r < details_.size(); ++r) {
    const Extent of = extents.emplace_back(extent(number, r));
    first_calls.push_back(static_cast<CallIndex>(of.from));
    samples.set(static_cast<std::int32_t>(r), in_gaps(std::span<const Sample>(details_[r]->samples),
                                                      of.from, of.first_gap, of.last_gap));
  }
  std::optional<Trace> trace = read(number, part, extents);
  if (!trace) return std::nullopt;
  return Stretch{*std::move(trace), part, std::move(samples), std::move(first_calls)};
}

}  // namespace slackline
