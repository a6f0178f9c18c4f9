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

/// A thread that waits at a barrier may sleep. That is time in its parallel region, and no pause:
/// takes it off the time blocked in that gap. `losses` are in order of their calls.
void leave_out_barriers(const ParallelRegions& regions, std::span<GapLoss> losses);

/// Appends the pauses of a rank with one thread, as much of them as its gaps have room for. What is
/// lost is put where `samples` found the rank blocked, and else, as when is not recorded, at the
/// end of its gap, beside what was written in it. All in order.
void append_pauses(std::span<const GapLoss> losses, std::span<const WritingTime> written,
                   std::span<const Sample> samples, RankCallsBuilder& calls);

}  // namespace slackline::raw
