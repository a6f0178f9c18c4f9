#pragma once

#include <cstdint>
#include <span>

#include "trace/trace.h"

namespace slackline::raw {

/// For how long a rank did not compute in the gap before a call. When in that gap is not recorded.
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

/// Appends the pauses of a rank with one thread, as much of them as its gaps have room for. Losses
/// are put at the end of their gap, beside what was written in it. Both in order.
void append_pauses(std::span<const GapLoss> losses, std::span<const WritingTime> written,
                   RankCalls& calls);

}  // namespace slackline::raw
