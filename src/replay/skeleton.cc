#include "replay/skeleton.h"

#include "trace/trace_builder.h"

namespace slackline {

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
