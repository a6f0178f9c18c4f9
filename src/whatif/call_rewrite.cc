#include "whatif/call_rewrite.h"

#include <algorithm>

#include "base/parallel.h"
#include "calls/program_steps.h"
#include "calls/run_span.h"
#include "trace/operation_kinds.h"
#include "trace/start_groups.h"
#include "trace/trace_builder.h"

namespace slackline {
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
