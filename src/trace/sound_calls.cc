#include "trace/sound_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"

namespace slackline {

bool SoundCalls::add(const RankCalls& calls) {
  for (const RegionEvent& event : calls.regions()) {
    if (event.enter && ++open_regions_ > kDeepestNesting) sound_ = false;
    if (!event.enter && open_regions_ > 0) --open_regions_;
  }
  if (!calls.empty() && calls.begin_ns(0) < start_ns_) sound_ = false;
  if (timed_ && !order_.add(calls)) sound_ = false;
  return sound_;
}

bool keeps_nesting_limit(const CallTree& tree) {
  for (FrameId frame = 1; frame <= tree.size(); ++frame) {
    if (tree.depth(frame) > kDeepestNesting) return false;
  }
  return true;
}

namespace {

constexpr FindingKind kCallsBeforeStart{
    "calls_before_start", Severity::notice,
    "Ranks with calls before their recorded start; their start was moved to the first call."};
constexpr FindingKind kCallsOverlap{
    "calls_overlap", Severity::notice,
    "Calls that begin before the preceding call of their thread ends, or end before they begin; "
    "they were moved to the earliest possible time."};

struct Mended {
  std::uint64_t calls = 0;
  bool start = false;
};

/// When a thread's last call ended, of those by thread.
std::int64_t& end_of(std::uint16_t thread, std::vector<std::int64_t>& ends_ns) {
  if (thread >= ends_ns.size()) ends_ns.resize(thread + std::size_t{1}, -kTimeLimit_ns);
  return ends_ns[thread];
}

std::uint64_t put_in_order(RankCallsBuilder& calls) {
  if (TimeOrder().add(calls)) return 0;
  std::uint64_t moved = 0;
  std::vector<std::int64_t> ends_ns;
  std::vector<std::int64_t> times;
  times.reserve(2 * calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::int64_t& last = end_of(calls.thread(i), ends_ns);
    const std::int64_t begin = std::max(calls.begin_ns(i), last);
    const std::int64_t end = std::max(calls.end_ns(i), begin);
    moved += begin != calls.begin_ns(i) || end != calls.end_ns(i) ? 1 : 0;
    times.insert(times.end(), {begin, end});
    last = end;
  }
  calls.retime(times);
  return moved;
}

bool begin_with_first_call(RankCallsBuilder& calls) {
  if (calls.empty() || calls.begin_ns(0) >= calls.start_ns()) return false;
  calls.set_start_ns(calls.begin_ns(0));
  return true;
}

}  // namespace

bool TimeOrder::add(const RankCalls& calls) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::int64_t& end = end_of(calls.thread(i), ends_ns_);
    if (calls.begin_ns(i) < end || calls.end_ns(i) < calls.begin_ns(i)) return false;
    end = calls.end_ns(i);
  }
  return true;
}

void mend_time_order(TraceBuilder& trace) {
  std::vector<Mended> mended(static_cast<std::size_t>(trace.ranks()));
  parallel_for(mended.size(), [&](std::size_t r) {
    RankCallsBuilder& calls = trace.calls(static_cast<std::int32_t>(r));
    if (trace.timed()) mended[r].calls = put_in_order(calls);
    mended[r].start = begin_with_first_call(calls);
  });
  for (std::size_t r = 0; r < mended.size(); ++r) {
    const std::string rank = fmt::format("rank {}", r);
    if (mended[r].start) trace.findings().add(kCallsBeforeStart, rank);
    if (mended[r].calls > 0) trace.findings().add(kCallsOverlap, rank, mended[r].calls);
  }
}

void check_time_span(const Trace& trace) {
  std::int64_t first = kTimeLimit_ns;
  std::int64_t last = -kTimeLimit_ns;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    first = std::min(first, trace.calls(rank).start_ns());
    last = std::max(last, trace.calls(rank).stop_ns());
  }
  if (trace.ranks() == 0 || last <= first) return;
  const std::uint64_t span = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  const char* const advice = "Check for an unset clock, or a wrong resolution in the header.";
  if (span > std::uint64_t{kTimeLimit_ns}) {
    throw Error("cannot use the trace's times",
                "its ranks start and end more than 146 years apart, beyond 2^62 ns", advice);
  }
  if (span > std::uint64_t{INT64_MAX} / static_cast<std::uint64_t>(trace.ranks())) {
    throw Error("cannot use the trace's times",
                "the sum over all ranks exceeds 292 years, beyond 2^63 ns", advice);
  }
}

namespace {

constexpr FindingKind kRegionsTooDeep{"regions_nested_too_deeply", Severity::data_loss,
                                      "Code regions inside 256 others: not kept, what they contain "
                                      "belongs to the innermost that is."};

constexpr FindingKind kPathsTooDeep{"call_paths_too_deep", Severity::data_loss,
                                    "Functions called inside 256 others: not kept, their time "
                                    "belongs to the innermost that is."};

/// The open regions of a rank. Leaving one closes those inside it; leaving one that is not open
/// means nothing.
class OpenRegions {
 public:
  explicit OpenRegions(std::size_t regions) : times_open_(regions) {}

  /// Whether the event is of a region that is kept.
  bool keeps(const RegionEvent& event) {
    if (event.enter) {
      open_.push_back(event.region);
      ++times_open_[event.region];
      return open_.size() <= kDeepestNesting;
    }
    if (times_open_[event.region] == 0) return true;
    for (bool found = false; !found; open_.pop_back()) {
      found = open_.back() == event.region;
      --times_open_[open_.back()];
    }
    return open_.size() < kDeepestNesting;
  }

 private:
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> times_open_;  // by region
};

void limit_regions(TraceBuilder& trace) {
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const auto events = trace.calls(rank).regions();
    if (events.size() <= kDeepestNesting) continue;
    OpenRegions open(trace.regions().size());
    std::vector<RegionEvent> kept;
    for (const RegionEvent& event : events) {
      if (open.keeps(event)) kept.push_back(event);
    }
    if (kept.size() == events.size()) continue;
    trace.findings().add(kRegionsTooDeep, fmt::format("rank {}", rank),
                         events.size() - kept.size());
    trace.calls(rank).set_regions(std::move(kept));
  }
}

void limit_call_paths(TraceBuilder& trace, Samples& samples) {
  const CallTree& tree = trace.call_tree();
  CallTree limited;
  std::vector<FrameId> kept(tree.size() + 1);
  FrameId dropped = 0;
  for (FrameId frame = 1; frame <= tree.size(); ++frame) {
    kept[frame] = kept[tree.parent(frame)];
    if (tree.depth(frame) <= kDeepestNesting) {
      kept[frame] = limited.child(kept[frame], tree.location(frame));
    } else if (dropped++ == 0) {
      trace.findings().add(kPathsTooDeep, describe_frame(tree, frame));
    }
  }
  if (dropped == 0) return;
  trace.findings().add(kPathsTooDeep, {}, dropped - 1);
  const auto map = [&](FrameId frame) { return kept[frame]; };
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) trace.calls(rank).map_frames(map);
  for (auto& of_rank : samples.by_rank) {
    for (Sample& sample : of_rank) sample.frame = map(sample.frame);
  }
  trace.call_tree() = std::move(limited);
}

}  // namespace

void limit_nesting(TraceBuilder& trace, Samples& samples) {
  limit_regions(trace);
  limit_call_paths(trace, samples);
}

}  // namespace slackline
