#include "analysis/waits/poll_gaps.h"

#include <algorithm>
#include <array>

#include "analysis/waits/poll_waits.h"
#include "trace/operation_kinds.h"

namespace slackline {
namespace {

using ByOperation = std::array<std::int64_t, kOperationCount>;

/// Between a failed poll and the next call, where that is a poll of the same kind.
ByOperation gaps_of(const RankCalls& calls, const TimeInterval& analysed) {
  ByOperation sums{};
  for (std::size_t i = 1; i < calls.size(); ++i) {
    const Operation operation = calls.operation(i);
    if (operation != calls.operation(i - 1) || !is_poll(operation)) continue;
    if (!calls.has(i - 1, SLK_FLAG_FAILED)) continue;
    const std::int64_t from = std::max(calls.end_ns(i - 1), analysed.begin_ns);
    const std::int64_t to = std::min(calls.begin_ns(i), analysed.end_ns);
    if (to > from) sums[static_cast<std::size_t>(operation)] += to - from;
  }
  return sums;
}

}  // namespace

PollGaps poll_gaps(const Trace& trace, const TimeInterval& analysed) {
  PollGaps gaps;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const ByOperation sums = gaps_of(trace.calls(r), analysed);
    std::int64_t of_rank = 0;
    for (const std::int64_t ns : sums) of_rank += ns;
    gaps.sum_ns += of_rank;
    if (of_rank <= gaps.rank_ns) continue;
    gaps.rank = r;
    gaps.rank_ns = of_rank;
    gaps.operation = static_cast<Operation>(std::ranges::max_element(sums) - sums.begin());
  }
  return gaps;
}

}  // namespace slackline
