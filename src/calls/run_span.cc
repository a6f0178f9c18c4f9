#include "calls/run_span.h"

namespace slackline {

RunSpan run_span(const Trace& trace) {
  RunSpan span;
  bool any = false;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    if (calls.empty()) continue;
    span.begin_ns = any ? std::min(span.begin_ns, calls.start_ns()) : calls.start_ns();
    span.end_ns = any ? std::max(span.end_ns, calls.stop_ns()) : calls.stop_ns();
    any = true;
  }
  return span;
}

}  // namespace slackline
