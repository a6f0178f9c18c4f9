#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace slackline {

inline constexpr std::int32_t kNoRegion = -1;

/// Which user region a rank is in, at any time: the innermost one that is open.
/// Leaving a region that is not the innermost closes those inside it; leaving one that is not open
/// is ignored.
class RegionTimeline {
 public:
  explicit RegionTimeline(const Trace& trace);

  /// Region (index into Trace::regions()) in which the computation before `call` ends, and in which
  /// the call itself runs.
  std::int32_t at_call(std::int32_t rank, std::uint32_t call) const;

  /// Calls visit(region, ns) for the parts of the computation right before `call`. The parts add up
  /// to the gap.
  template <class Visit>
  void split_gap(std::int32_t rank, std::uint32_t call, Visit visit) const {
    const RankCalls& calls = trace_.calls(rank);
    const std::int64_t gap = calls.gap_ns(call);
    std::int64_t at = calls.begin_ns(call) - gap;
    const auto events = calls.regions();
    const auto& after = active_after_[static_cast<std::size_t>(rank)];
    std::size_t i = first_event_before(rank, call);
    for (; i < events.size() && events[i].before_call <= call; ++i) {
      const std::int64_t to = std::min(std::max(events[i].time_ns, at), calls.begin_ns(call));
      if (to > at) visit(i == 0 ? kNoRegion : after[i - 1], to - at);
      at = std::max(at, to);
    }
    if (calls.begin_ns(call) > at)
      visit(i == 0 ? kNoRegion : after[i - 1], calls.begin_ns(call) - at);
  }

 private:
  /// Index of the first event that lies between call - 1 and `call`.
  std::size_t first_event_before(std::int32_t rank, std::uint32_t call) const;

  const Trace& trace_;
  std::vector<std::vector<std::int32_t>> active_after_;  // per rank, per region event
};

}  // namespace slackline
