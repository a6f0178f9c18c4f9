#include "trace/region_nesting.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace slackline {
namespace {

constexpr FindingKind kTooDeep{"regions_nested_too_deeply", Severity::data_loss,
                               "Code regions inside 256 others: not kept, what they contain "
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
      return open_.size() <= kDeepestRegion;
    }
    if (times_open_[event.region] == 0) return true;
    for (bool found = false; !found; open_.pop_back()) {
      found = open_.back() == event.region;
      --times_open_[open_.back()];
    }
    return open_.size() < kDeepestRegion;
  }

 private:
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t> times_open_;  // by region
};

}  // namespace

void limit_region_nesting(Trace& trace) {
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const auto events = trace.calls(rank).regions();
    if (events.size() <= kDeepestRegion) continue;
    OpenRegions open(trace.regions().size());
    std::vector<RegionEvent> kept;
    for (const RegionEvent& event : events) {
      if (open.keeps(event)) kept.push_back(event);
    }
    if (kept.size() == events.size()) continue;
    trace.findings().add(kTooDeep, fmt::format("rank {}", rank), events.size() - kept.size());
    trace.calls(rank).set_regions(std::move(kept));
  }
}

}  // namespace slackline
