#include "whatif/program_writer.h"

#include <algorithm>

#include "base/arithmetic.h"
#include "base/error.h"
#include "base/parallel.h"
#include "calls/program_steps.h"
#include "calls/run_span.h"
#include "trace/operation_kinds.h"
#include "trace/start_groups.h"
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

namespace {

struct Rewriter {
  const RankCalls& from;
  std::int32_t rank;
  const CallRewrite& rewrite;
  const BeforeRegion& before_region;
  RankWriter to;
  std::vector<std::uint32_t> index{};  ///< of each call in the new program, and one past the last

  void start(std::int64_t ns) { to.start(ns); }
  void compute(const Computation& c) { to.compute_as(c, c.ns); }
  void pause(std::int64_t ns, PauseKind kind) { to.pause(ns, kind); }
  void region(const RegionEvent& event, PathId) {
    if (before_region) before_region(rank, event, to);
    to.region(event.region, event.enter);
  }
  void call(std::size_t i, PathId) {
    index.push_back(to.next_call());
    rewrite(rank, i, from[i], to);
  }
  void finish() {
    index.push_back(to.next_call());
    to.finish();
  }
};

/// Leaves out those of `call`'s arguments, `group` at a time, whose first one names a dropped
/// request.
Leftover without_groups(Call& call, std::vector<std::int64_t>& storage, std::size_t group,
                        const std::function<bool(std::uint32_t)>& dropped) {
  storage.clear();
  for (std::size_t at = 0; at + group <= call.args.size(); at += group) {
    const auto one = call.args.subspan(at, group);
    if (!dropped(static_cast<std::uint32_t>(one[0]))) {
      storage.insert(storage.end(), one.begin(), one.end());
    }
  }
  if (storage.size() == call.args.size()) return Leftover::unchanged;
  call.args = storage;
  return storage.empty() ? Leftover::nothing : Leftover::changed;
}

}  // namespace

Program with_calls(const ProgramView& program, const CallPaths& paths, const CallRewrite& rewrite,
                   const BeforeRegion& before_region) {
  const Trace& trace = program.trace;
  TraceBuilder edited = TraceBuilder::without_calls(trace, false);
  Samples samples = program.samples;
  const std::int64_t zero_ns = run_span(trace).analysed.begin_ns;
  parallel_for(static_cast<std::size_t>(trace.ranks()), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    Rewriter rewriter{trace.calls(rank), rank, rewrite, before_region,
                      RankWriter(edited.calls(rank))};
    walk_program(trace, paths, rank, zero_ns, rewriter);
    rewriter.finish();
    samples.renumber(rank, rewriter.index);
  });
  return {std::move(edited).build(), std::move(samples)};
}

Leftover without_requests(Call& call, std::vector<std::int64_t>& storage,
                          const std::function<bool(std::uint32_t)>& dropped) {
  switch (operation_class(call.operation)) {
    case OperationClass::start:
      return without_groups(call, storage, kStartGroup, dropped);
    case OperationClass::completion:
      if (call.has(SLK_FLAG_FAILED)) return Leftover::unchanged;
      if (lists_requests(call.operation)) return without_groups(call, storage, 1, dropped);
      return dropped(call.request) ? Leftover::nothing : Leftover::unchanged;
    case OperationClass::request_other:
      return dropped(call.request) ? Leftover::nothing : Leftover::unchanged;
    default:
      return Leftover::unchanged;
  }
}

}  // namespace slackline
