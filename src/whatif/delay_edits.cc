// Delays at a time or again and again, and computation that is done while a rank would wait.

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <utility>

#include "base/arithmetic.h"
#include "base/error.h"
#include "base/parallel.h"
#include "calls/call_actions.h"
#include "calls/program_steps.h"
#include "calls/run_span.h"
#include "trace/trace_builder.h"
#include "whatif/actions.h"
#include "whatif/computation_pieces.h"
#include "whatif/program_writer.h"
#include "whatif/selection.h"

namespace slackline {
namespace {

struct Delays {
  std::int64_t time_ns = 0;
  std::int64_t at_ns = 0;
  std::optional<std::int64_t> every_ns{};
};

Delays delays_of(const Edit& edit) {
  edit.required("time");
  Delays delays{*edit.time_ns("time"), edit.time_ns("at").value_or(0), edit.time_ns("every")};
  if (delays.time_ns < 0) refuse(edit, "time", "a delay is not negative");
  if (delays.every_ns && *delays.every_ns <= 0) refuse(edit, "every", "it is not positive");
  return delays;
}

/// Copies one rank and adds delays to its selected computation.
struct DelayedRank {
  const RankCalls& from;
  const Selection& selection;
  const Delays& delays;
  bool selected;
  RankWriter to;
  std::int64_t computed_ns = 0;
  std::uint64_t count = 0;

  void start(std::int64_t ns) { to.start(ns); }
  void compute(const Computation& c) {
    if (selected && selection.has_path(c.path)) to.compute(added(c));
    to.compute_as(c, c.ns);
  }
  void pause(std::int64_t ns, PauseKind kind) { to.pause(ns, kind); }
  void region(const RegionEvent& event, PathId) { to.region(event.region, event.enter); }
  void call(std::size_t i, PathId) { to.call(from[i]); }

  std::int64_t added(const Computation& c) {
    std::uint64_t due = 0;
    if (delays.every_ns) {
      computed_ns += c.ns;
      due = static_cast<std::uint64_t>(computed_ns / *delays.every_ns) - count;
    } else if (count == 0 && c.begin_ns + c.ns > delays.at_ns) {
      due = 1;
    }
    count += due;
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    const auto each = static_cast<std::uint64_t>(delays.time_ns);
    return static_cast<std::int64_t>(std::min(kMost, saturated_product(due, each)));
  }
};

/// Does the call wait for what others send? Then what follows may be done before.
bool waits(const Call& call) {
  const OperationClass kind = operation_class(call.operation);
  return kind == OperationClass::recv || kind == OperationClass::collective ||
         (kind == OperationClass::completion && !call.has(SLK_FLAG_FAILED));
}

/// Copies one rank; part of the computation right after selected calls comes before them.
struct OverlappedRank {
  const RankCalls& from;
  const Selection& selection;
  std::int32_t rank;
  std::optional<Operation> operation;
  double share;
  std::int64_t zero_ns;
  RankWriter to;
  std::optional<std::size_t> held{};  ///< a call that is not yet written
  std::uint64_t count = 0;

  void start(std::int64_t ns) { to.start(ns); }
  void compute(const Computation& c) {
    const std::int64_t before = held ? scaled(c.ns, share) : 0;
    if (before > 0) ++count;
    to.compute_as(c, before);
    release();
    to.compute_as(c, c.ns - before);
  }
  void pause(std::int64_t ns, PauseKind kind) {
    release();
    to.pause(ns, kind);
  }
  void region(const RegionEvent& event, PathId) {
    release();
    to.region(event.region, event.enter);
  }
  void call(std::size_t i, PathId path) {
    release();
    const Call call = from[i];
    const bool named = operation ? call.operation == *operation : waits(call);
    if (named && selection.has_call(rank, path, call.frame, call.begin_ns - zero_ns)) {
      held = i;
    } else {
      to.call(call);
    }
  }
  void release() {
    if (held) to.call(from[*held]);
    held.reset();
  }
};

}  // namespace

Program add_delays(const Edit& edit, const ProgramView& program, Change& change) {
  const Trace& trace = program.trace;
  const Delays delays = delays_of(edit);
  const CallPaths paths(trace);
  const Selection selection(edit, program, paths);
  const std::int64_t zero_ns = run_span(trace).analysed.begin_ns;
  TraceBuilder edited = TraceBuilder::without_calls(trace, false);
  std::atomic<std::uint64_t> count = 0;
  parallel_for(static_cast<std::size_t>(trace.ranks()), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    DelayedRank visitor{trace.calls(rank), selection, delays, selection.has_rank(rank),
                        RankWriter(edited.calls(rank))};
    walk_program(trace, paths, rank, zero_ns, visitor);
    visitor.to.finish();
    count += visitor.count;
  });
  change = {count, count, "delays"};
  return {std::move(edited).build(), program.samples};
}

Program overlap_computation(const Edit& edit, const ProgramView& program, Change& change) {
  const Trace& trace = program.trace;
  edit.required("by");
  const double share = *edit.factor("by");
  if (share > 1) refuse(edit, "by", "it is a share of the computation that follows");
  std::optional<Operation> operation;
  if (const std::string* word = edit.find("operation")) {
    operation = operation_from_identifier(*word);
    if (!operation) refuse(edit, "operation", "no such operation", "Example: operation=waitall.");
  }
  const CallPaths paths(trace);
  const Selection selection(edit, program, paths);
  const std::int64_t zero_ns = run_span(trace).analysed.begin_ns;
  TraceBuilder edited = TraceBuilder::without_calls(trace, false);
  std::atomic<std::uint64_t> count = 0;
  parallel_for(static_cast<std::size_t>(trace.ranks()), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    OverlappedRank visitor{trace.calls(rank),
                           selection,
                           rank,
                           operation,
                           share,
                           zero_ns,
                           RankWriter(edited.calls(rank))};
    walk_program(trace, paths, rank, zero_ns, visitor);
    visitor.release();
    visitor.to.finish();
    count += visitor.count;
  });
  change = {count, count, "waits"};
  return {std::move(edited).build(), program.samples};
}

}  // namespace slackline
