#include "whatif/program_writer.h"

#include <algorithm>

#include "base/arithmetic.h"
#include "base/error.h"
#include "base/parallel.h"
#include "calls/run_span.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

/// Copies everything as it is.
struct Copy {
  const RankCalls& from;
  RankWriter to;

  void start(std::int64_t ns) { to.start(ns); }
  void compute(const Computation& c) { to.compute_as(c, c.ns); }
  void pause(std::int64_t ns, PauseKind kind) { to.pause(ns, kind); }
  void region(const RegionEvent& event, PathId) { to.region(event.region, event.enter); }
  void call(std::size_t i, PathId) { to.call(from[i]); }
};

}  // namespace

void RankWriter::start(std::int64_t ns) {
  now_ns_ = ns;
  to_.set_start_ns(ns);
}

void RankWriter::compute(std::int64_t ns) {
  now_ns_ = saturated_sum(now_ns_, ns);
  if (now_ns_ <= kTimeLimit_ns) return;
  throw Error("cannot edit the program", "a rank would compute for more than 146 years",
              "Use smaller factors and times.");
}

void RankWriter::compute_as(const Computation& stretch, std::int64_t ns) {
  if (stretch.blocked && ns > 0) return pause(ns, PauseKind::blocked);
  compute(ns);
}

void RankWriter::pause(std::int64_t ns, PauseKind kind) {
  const std::int64_t begin = now_ns_;
  compute(ns);
  to_.append_pause({begin, now_ns_, next_call(), kind});
}

void RankWriter::region(std::uint32_t region, bool enter) {
  to_.append_region({now_ns_, region, next_call(), enter});
}

void RankWriter::call(Call call) {
  const bool io = operation_class(call.operation) == OperationClass::io;
  const std::int64_t inside = io ? std::max<std::int64_t>(0, call.end_ns - call.begin_ns) : 0;
  call.begin_ns = now_ns_;
  compute(inside);
  call.end_ns = now_ns_;
  to_.append(call);
}

void RankWriter::finish() {
  to_.set_stop_ns(now_ns_);
  to_.shrink();
}

Trace untimed_copy(const Trace& trace) {
  TraceBuilder copy = TraceBuilder::without_calls(trace, false);
  const CallPaths paths(trace);
  const std::int64_t zero_ns = run_span(trace).analysed.begin_ns;
  parallel_for(static_cast<std::size_t>(trace.ranks()), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    Copy visitor{trace.calls(rank), RankWriter(copy.calls(rank))};
    walk_program(trace, paths, rank, zero_ns, visitor);
    visitor.to.finish();
  });
  return std::move(copy).build();
}

}  // namespace slackline
