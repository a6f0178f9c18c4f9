#include "replay/stripped_program.h"

#include <fmt/format.h>

#include "calls/call_matching.h"
#include "replay/object_plans.h"
#include "trace/trace_builder.h"

namespace slackline {

bool is_beyond_replay(Operation operation) {
  switch (operation) {
    case Operation::comm_spawn:
    case Operation::comm_spawn_multiple:
    case Operation::comm_accept:
    case Operation::comm_connect:
    case Operation::comm_join:
    case Operation::psend_init:
    case Operation::precv_init:
    case Operation::pready:
    case Operation::pready_range:
    case Operation::pready_list:
    case Operation::parrived:
      return true;
    default:
      return false;
  }
}

namespace {

/// What of this program is left out.
class Unsupported {
 public:
  explicit Unsupported(const Trace& trace) {
    const CallMatching matching(trace);
    windows_ = !WindowPlan(trace, matching).refusal().empty();
    files_ = !FilePlan(trace, matching).refusal().empty();
  }
  bool contains(Operation operation) const {
    const OperationClass kind = operation_class(operation);
    return is_beyond_replay(operation) || (windows_ && kind == OperationClass::one_sided) ||
           (files_ && kind == OperationClass::io);
  }

 private:
  bool windows_ = false;
  bool files_ = false;
};

}  // namespace

SkippedCalls without_unsupported(const ProgramView& program) {
  const Trace& trace = program.trace;
  const Unsupported unsupported(trace);
  TraceBuilder kept = TraceBuilder::without_calls(trace, trace.timed());
  SkippedCalls result{.program = {Trace(0, false), program.samples}};
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& from = trace.calls(r);
    RankCallsBuilder& to = kept.calls(r);
    to.reserve(from.size());
    std::vector<std::uint32_t> index;  // of each call, and one past the last
    for (std::size_t i = 0; i < from.size(); ++i) {
      index.push_back(static_cast<std::uint32_t>(to.size()));
      if (!unsupported.contains(from.operation(i))) {
        to.append(from[i]);
        continue;
      }
      if (result.example.empty()) {
        result.example = fmt::format("rank {}, call {}: {}", r, i, mpi_name(from.operation(i)));
      }
      ++result.count;
    }
    index.push_back(static_cast<std::uint32_t>(to.size()));
    for (RegionEvent event : from.regions()) {
      event.before_call = index[event.before_call];
      to.append_region(event);
    }
    for (Pause pause : from.pauses()) {
      pause.before_call = index[pause.before_call];
      to.append_pause(pause);
    }
    to.set_start_ns(from.start_ns());
    to.set_stop_ns(from.stop_ns());
    result.program.samples.renumber(r, index);
  }
  result.program.trace = std::move(kept).build();
  return result;
}

Trace skeleton(const Trace& trace) {
  TraceBuilder bare(trace.ranks(), trace.timed());
  for (std::size_t c = kCommSelf + 1; c < trace.communicators().size(); ++c) {
    const Communicator& comm = trace.communicators()[c];
    bare.add_communicator({.members = comm.members, .remote = comm.remote, .name = {}});
  }
  bare.info().flops_per_second = trace.info().flops_per_second;
  bare.info().lost_calls = trace.info().lost_calls;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& from = trace.calls(r);
    RankCallsBuilder& to = bare.calls(r);
    to.reserve(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      Call call = from[i];
      call.frame = 0;
      to.append(call);
    }
    for (const Pause& pause : from.pauses()) to.append_pause(pause);
    to.set_start_ns(from.start_ns());
    to.set_stop_ns(from.stop_ns());
    bare.rank_info(r).present = trace.rank_info(r).present;
    bare.rank_info(r).finalized = trace.rank_info(r).finalized;
  }
  return std::move(bare).build();
}

}  // namespace slackline
