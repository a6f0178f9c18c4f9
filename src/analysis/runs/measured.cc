#include "analysis/runs/measured.h"

#include <algorithm>

#include "calls/run_span.h"

namespace slackline {
namespace {

/// Time inside of the calls of a rank's analysed interval. Calls of several threads may overlap;
/// time is counted once.
std::int64_t time_in_calls(const RankCalls& calls, const RankSpan& span) {
  std::int64_t sum = 0;
  for (std::size_t i = span.first_call; i < span.last_call; ++i) {
    const std::int64_t from = i == span.first_call
                                  ? span.analysed.begin_ns
                                  : std::max(span.analysed.begin_ns, calls.end_ns(i - 1));
    sum += std::max<std::int64_t>(0, calls.end_ns(i) - std::max(from, calls.begin_ns(i)));
  }
  return std::min(sum, span.analysed.length_ns());
}

}  // namespace

std::optional<MeasuredRun> measured_run(const Trace& trace) {
  if (!trace.timed() || trace.call_count() == 0) return std::nullopt;
  MeasuredRun run;
  run.makespan_ns = run_span(trace).analysed.length_ns();
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    TimeBreakdown parts;
    if (!calls.empty()) {
      const RankSpan span = rank_span(calls);
      parts.mpi = time_in_calls(calls, span);
      parts.compute = span.analysed.length_ns() - parts.mpi;
    }
    parts.wait = run.makespan_ns - parts.total();
    run.ranks_ns.push_back(parts);
  }
  return run;
}

}  // namespace slackline
