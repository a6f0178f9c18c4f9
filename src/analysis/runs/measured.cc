#include "analysis/runs/measured.h"

#include <algorithm>

#include "calls/gap_walk.h"

namespace slackline {
namespace {

/// Time in `part` inside of the calls of a rank's main thread, whose time is the rank's.
std::int64_t time_in_calls(const RankCalls& calls, const RankSpan& span, const TimeInterval& part) {
  std::int64_t sum = 0;
  std::int64_t from = part.begin_ns;
  for (std::size_t i = span.first_call; i < span.last_call; ++i) {
    if (calls.thread(i) != 0) continue;
    const std::int64_t end = std::min(part.end_ns, calls.end_ns(i));
    sum += std::max<std::int64_t>(0, end - std::max(from, calls.begin_ns(i)));
    from = std::max(part.begin_ns, end);
  }
  return std::min(sum, part.length_ns());
}

/// Moves what lies in pauses out of the computation of `time`.
void take_pauses(const RankCalls& calls, const TimeInterval& part, RankTime& time) {
  for (const Pause& pause : calls.pauses()) {
    const std::int64_t length = std::max<std::int64_t>(
        0, std::min(part.end_ns, pause.end_ns) - std::max(part.begin_ns, pause.begin_ns));
    const std::int64_t ns = std::min(length, time.compute);
    time.compute -= ns;
    part_of(time, pause.kind) += ns;
  }
}

/// Moves what recording the calls took out of the computation of `time`.
void take_recording(const RankCalls& calls, const RankSpan& span, const TimeInterval& part,
                    RankTime& time) {
  if (calls.recording_costs().empty()) return;
  GapWalk gaps(calls);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i <= span.last_call; ++i) {
    const GapWalk::Gap gap = gaps.next();
    if (i < span.first_call || gap.recording_ns == 0) continue;
    sum += std::clamp<std::int64_t>(
        std::min(part.end_ns, gap.end_ns) - std::max(part.begin_ns, gap.begin_ns), 0,
        gap.recording_ns);
  }
  sum = std::min(sum, time.compute);
  time.compute -= sum;
  time.recording += sum;
}

}  // namespace

std::optional<MeasuredRun> measured_run(const Trace& trace) {
  return measured_run(trace, run_span(trace).analysed);
}

std::optional<MeasuredRun> measured_run(const Trace& trace, const TimeInterval& interval) {
  if (!trace.timed() || trace.call_count() == 0) return std::nullopt;
  MeasuredRun run;
  run.makespan_ns = interval.length_ns();
  const RunSpan span = run_span(trace);
  run.extent = meaning(extent_of(span, interval), span.ends);
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    run.ranks_ns.push_back(measured_rank(trace.calls(r), interval));
  }
  return run;
}

RankTime measured_rank(const RankCalls& calls, const TimeInterval& interval) {
  RankTime parts;
  if (!calls.empty()) {
    const RankSpan span = rank_span(calls);
    const TimeInterval part{std::max(interval.begin_ns, span.analysed.begin_ns),
                            std::min(interval.end_ns, span.analysed.end_ns)};
    parts.mpi = time_in_calls(calls, span, part);
    parts.compute = part.length_ns() - parts.mpi;
    take_pauses(calls, part, parts);
    take_recording(calls, span, part, parts);
  }
  parts.outside = interval.length_ns() - parts.total();
  return parts;
}

}  // namespace slackline
