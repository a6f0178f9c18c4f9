#include "calls/run_span.h"

namespace slackline {
namespace {

void enclose(TimeInterval& all, const TimeInterval& one, bool first) {
  all.begin_ns = first ? one.begin_ns : std::min(all.begin_ns, one.begin_ns);
  all.end_ns = first ? one.end_ns : std::max(all.end_ns, one.end_ns);
}

}  // namespace

RankSpan rank_span(const RankCalls& calls) {
  const std::size_t count = calls.size();
  RankSpan span{.whole = {calls.start_ns(), calls.stop_ns()},
                .analysed = {calls.start_ns(), calls.start_ns()},
                .first_call = 0,
                .last_call = count};
  if (count == 0) return span;
  std::size_t init = 0;
  while (init < count && !is_init(calls.operation(init))) ++init;
  if (init < count) {
    span.first_call = init + 1;
    span.analysed.begin_ns = calls.end_ns(init);
  }
  std::size_t end = count;
  while (end > span.first_call && calls.operation(end - 1) != Operation::finalize) --end;
  if (end > span.first_call) {
    span.last_call = end - 1;
    span.analysed.end_ns = calls.begin_ns(end - 1);
  } else {
    span.analysed.end_ns = std::max(span.analysed.begin_ns, calls.end_ns(count - 1));
  }
  return span;
}

RunSpan run_span(const Trace& trace) {
  RunSpan run;
  bool first = true;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    if (trace.calls(r).empty()) continue;
    const RankSpan rank = rank_span(trace.calls(r));
    enclose(run.whole, rank.whole, first);
    enclose(run.analysed, rank.analysed, first);
    first = false;
  }
  return run;
}

}  // namespace slackline
