#include "trace/nesting_limits.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace slackline {
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
