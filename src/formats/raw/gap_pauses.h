#pragma once

#include <cstdint>
#include <span>

#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline::raw {

/// For how long a rank did not compute in the gap before a call.
struct GapLoss {
  std::uint32_t call;
  std::int64_t no_processor_ns = 0;
  std::int64_t blocked_ns = 0;
};

/// When the recorder wrote out what it had recorded.
struct WritingTime {
  std::int64_t begin_ns;
  std::int64_t end_ns;
};

/// The part of a gap's losses that was in a parallel region, or in several as one.
struct RegionLoss {
  std::uint32_t call;  ///< before which the region ends
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::int64_t no_processor_ns = 0;
  std::int64_t blocked_ns = 0;
};

/// Appends the pauses of a rank with one thread, as much of them as its gaps have room for. What is
/// lost is put where `samples` found the rank blocked, then into the parallel regions as much as
/// they lost, and else, as when is not recorded, at the end of its gap outside of regions, beside
/// what was written in it; where the code changes within the gap, in proportion to the lengths of
/// its stretches, each at its end. `in_regions` has every parallel region of the rank, `changes`
/// the times at which it enters and leaves marked regions. All in order.
void append_pauses(std::span<const GapLoss> losses, std::span<const RegionLoss> in_regions,
                   std::span<const WritingTime> written, std::span<const Sample> samples,
                   std::span<const std::int64_t> changes, RankCallsBuilder& calls);

}  // namespace slackline::raw
