#include "calls/cpu_time.h"

#include <algorithm>
#include <vector>

#include "base/ratio.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

struct RemovedPause {
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::int64_t before_ns;  ///< length of the ones before it

  std::int64_t length_ns() const { return end_ns - begin_ns; }
};

/// Those after MPI_Init, so that a rank's begin stays where it is.
std::vector<RemovedPause> removed_pauses(const RankCalls& calls) {
  std::vector<RemovedPause> removed;
  if (calls.pauses().empty()) return removed;
  const std::size_t first_call = rank_span(calls).first_call;
  std::int64_t sum = 0;
  for (const Pause& pause : calls.pauses()) {
    const std::int64_t begin =
        removed.empty() ? pause.begin_ns : std::max(pause.begin_ns, removed.back().end_ns);
    const bool computes = pause.kind == PauseKind::in_mpi || pause.kind == PauseKind::blocked;
    if (computes || pause.before_call < first_call || pause.end_ns <= begin) continue;
    removed.push_back({begin, pause.end_ns, sum});
    sum += removed.back().length_ns();
  }
  return removed;
}

/// How much of the pauses lies before `time_ns`.
std::int64_t removed_before(const std::vector<RemovedPause>& removed, std::int64_t time_ns) {
  const auto after = std::ranges::lower_bound(removed, time_ns, {}, &RemovedPause::begin_ns);
  if (after == removed.begin()) return 0;
  const RemovedPause& last = *(after - 1);
  return last.before_ns + std::min(time_ns, last.end_ns) - last.begin_ns;
}

}  // namespace

std::int64_t paused_ns(const Trace& trace) {
  std::int64_t sum = 0;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    for (const RemovedPause& pause : removed_pauses(trace.calls(rank))) sum += pause.length_ns();
  }
  return sum;
}

double share_without_processor(const Trace& trace) {
  std::int64_t waited_ns = 0;
  std::int64_t time_ns = 0;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    if (calls.empty()) continue;
    for (const Pause& pause : calls.pauses()) {
      if (pause.kind == PauseKind::no_processor) waited_ns += pause.end_ns - pause.begin_ns;
    }
    time_ns += calls.end_ns(calls.size() - 1) - calls.begin_ns(rank_span(calls).first_call);
  }
  return ratio_of(static_cast<double>(waited_ns), static_cast<double>(time_ns));
}

void remove_pauses(Trace& trace) {
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    RankCalls& calls = trace.calls(rank);
    const std::vector<RemovedPause> removed = removed_pauses(calls);
    if (removed.empty()) continue;
    calls.map_times([&](std::int64_t ns) { return ns - removed_before(removed, ns); });
  }
}

}  // namespace slackline
