// From a trace to its execution graph, in one sweep.
//
// The problem: match every receive with its send, expand collectives, and number all vertices so
// that every edge leads forward.
//
// The idea: execute the program without time. Each rank is a cursor over its calls (a context); it
// runs until it must wait for something that no other rank has done yet, then another one runs. A
// vertex is written when its context gets to it, so vertices come out in topological order by
// construction, mostly many of one rank in a row, which keeps a later pass over them in cache.
// Matching is a by-product: MPI matches in the order of posting, and each rank posts in program
// order. A nonblocking collective is a context of its own beside its rank.
//
// A vertex is written only where a maximum has to be taken or others may refer to: hand-over of a
// send, completion of receives, rendezvous. Everything else just adds to the computation since the
// context's newest vertex (`gap_ns`).
//
// What happens when all contexts wait is in program_walk_release.cc.
//
// Cost: O(calls + messages); memory for outstanding messages and requests only.

#include "graph/program_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "calls/findings.h"
#include "calls/run_span.h"
#include "trace/operation_kinds.h"

namespace slackline {

ProgramWalk::ProgramWalk(const Trace& trace, const GraphOptions& options, GraphBuilder& builder,
                         MessageLog* log, const RunPart& part)
    : trace_(trace),
      options_(options),
      builder_(builder),
      log_(log),
      part_(part),
      serial_links_(options.serial_links && log == nullptr),
      data_waits_(options.rendezvous == Rendezvous::handshake ||
                  options.rendezvous == Rendezvous::rdma_read),
      messages_(builder, options, log),
      assembled_(assemble_collectives(trace)),
      collectives_(trace, assembled_, options.collectives, builder.findings(), part),
      objects_(assembled_),
      one_sided_(trace, assembled_, objects_),
      answers_(one_sided_.ids(), Edge{kNoVertex, EdgeKind::message, 0, 0, 0, 0}),
      ranks_(static_cast<std::size_t>(trace.ranks())) {
  if (one_sided_.left_out() > 0) {
    builder_.findings().add(kOneSidedNotModelled,
                            "waiting for locks, or transfers that no call ends",
                            one_sided_.left_out());
  }
}

void ProgramWalk::run() {
  const std::int64_t zero = run_span(trace_).analysed.begin_ns;
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) start_rank(r, zero);
  for (std::int32_t r = 0; r < trace_.ranks() && serial_links_ && !part_.first; ++r) {
    contexts_[static_cast<ContextId>(r)].leaving.resume(builder_.start_link(r));
  }
  for (std::int32_t r = trace_.ranks(); r-- > 0;) ready_.push_back(static_cast<ContextId>(r));
  do {
    while (!ready_.empty()) {
      const ContextId id = ready_.back();
      ready_.pop_back();
      advance(id);
    }
  } while (release_something());
  end_ranks();
}

void ProgramWalk::start_rank(std::int32_t rank, std::int64_t origin_ns) {
  Context& context = contexts_[contexts_.acquire()];
  context.rank = rank;
  context.tail = builder_.vertex(builder_.global_call(rank, 0));
  if (!part_.first) return pass_lead(context);
  if (!trace_.calls(rank).empty()) {
    const RankSpan span = rank_span(trace_.calls(rank));
    context.next_call = static_cast<std::uint32_t>(span.first_call);
    context.gap_ns = span.analysed.begin_ns - origin_ns;
    ranks_[static_cast<std::size_t>(rank)].steps =
        thread_steps(trace_.calls(rank), context.next_call);
  }
}

/// A later part of the run begins after its first calls, with the computation that follows them.
void ProgramWalk::pass_lead(Context& context) {
  const RankCalls& calls = trace_.calls(context.rank);
  CollectiveCursor& cursor = ranks_[static_cast<std::size_t>(context.rank)].collectives;
  for (; context.next_call < part_.lead(); ++context.next_call) {
    cursor.enter(collectives_, context.rank, collective_comm(calls.action(context.next_call)));
  }
}

void ProgramWalk::advance(ContextId id) {
  while (!contexts_[id].finished) {
    const bool moved =
        contexts_[id].collective != nullptr ? advance_collective(id) : advance_main(id);
    auto& woken = messages_.woken();
    if (!woken.empty()) {
      ready_.insert(ready_.end(), woken.begin(), woken.end());
      woken.clear();
    }
    if (!moved) return;
  }
}

/// Takes the next call of a rank's program; false when it has to wait.
bool ProgramWalk::advance_main(ContextId id) {
  Context& context = contexts_[id];
  if (context.probing && !complete_probe(id)) return false;
  if (context.waiting && !complete(id)) return false;
  if (!context.one_sided.empty()) {
    take_one_sided_steps(context);
    return true;
  }
  if (context.io_ns > 0) write_io(context);
  if (!ranks_[static_cast<std::size_t>(context.rank)].steps.empty()) return advance_threads(id);
  const RankCalls& calls = trace_.calls(context.rank);
  if (context.next_call >= calls.size()) {
    end_program(context);
    return true;
  }
  context.call = context.next_call++;
  context.gap_ns += calls.gap_ns(context.call);
  enter_call(id, calls.action(context.call));
  return true;
}

/// What a rank computes after its last call belongs to it, unless that is MPI_Finalize.
void ProgramWalk::end_program(Context& context) {
  const RankCalls& calls = trace_.calls(context.rank);
  if (part_.last && context.next_call != kNone && !calls.empty()) {
    context.gap_ns += calls.gap_ns(calls.size());
  }
  context.finished = true;
}

/// Takes the next step of a collective; false when it has to wait.
bool ProgramWalk::advance_collective(ContextId id) {
  Context& context = contexts_[id];
  if (context.waiting && !complete(id)) return false;
  if (context.step == context.steps.size()) {
    context.collective = nullptr;
    context.steps.clear();
    context.pending.swap(context.after);
    context.waiting = !context.pending.empty();
    if (!context.main) {
      context.finished = true;
      if (context.waiter != kNone) ready_.push_back(context.waiter);
    }
    return true;
  }
  const CollectiveStep step = context.steps[context.step++];
  using Kind = CollectiveStep::Kind;
  if (step.kind == Kind::wait_all) {
    context.pending.swap(context.outstanding);
    context.waiting = true;
    return true;
  }
  if (step.kind == Kind::wait) {
    const auto oldest = context.outstanding.begin() + step.peer;
    context.pending.push_back(*oldest);
    context.outstanding.erase(oldest);
    context.waiting = true;
    return true;
  }
  const CollectiveIndex::Instance& instance = *context.collective;
  // Neighbourhood collectives name their peers themselves.
  const std::int32_t peer = is_neighbourhood(instance.call.operation)
                                ? step.peer
                                : instance.members[static_cast<std::size_t>(step.peer)];
  const bool sends = step.kind == Kind::send || step.kind == Kind::isend;
  const Pending started = sends ? send(context, peer, context.collective_tag, instance.comm,
                                       step.bytes, Operation::send)
                                : receive(context, peer, context.collective_tag, instance.comm);
  const bool blocks = step.kind == Kind::send || step.kind == Kind::recv;
  (blocks ? context.pending : context.outstanding).push_back(started);
  context.waiting = blocks;
  return true;
}

std::uint32_t ProgramWalk::current_call(const Context& context) const {
  return builder_.global_call(context.rank, context.call);
}

PathPoint ProgramWalk::here(const Context& context) const {
  return PathPoint{context.tail, context.gap_ns, context.overheads, current_call(context)};
}

/// A new vertex at the end of the context's path, with its path edge.
VertexId ProgramWalk::extend(Context& context, std::uint8_t overheads) {
  const VertexId v = builder_.vertex(current_call(context));
  builder_.edge(Edge{.from = context.tail,
                     .kind = context.main ? EdgeKind::compute : EdgeKind::order,
                     .latencies = 0,
                     .overheads = overheads,
                     .nanoseconds = context.gap_ns,
                     .bytes = 0});
  context.tail = v;
  context.gap_ns = 0;
  context.overheads += overheads;
  return v;
}

void ProgramWalk::end_ranks() {
  for (std::int32_t rank = 0; rank < trace_.ranks(); ++rank) {
    const Context& context = contexts_[static_cast<ContextId>(rank)];
    builder_.end_rank(rank, context.tail, context.gap_ns);
    if (!serial_links_) continue;
    builder_.end_link(rank, context.leaving.newest(), context.leaving.newest_bytes());
  }
  messages_.for_each_unreceived([&](const MessageState& t) {
    builder_.findings().add(
        unmatched_send(trace_, static_cast<std::int32_t>(t.channel.destination)),
        fmt::format("rank {} to rank {}, {}, {} bytes", t.channel.source, t.channel.destination,
                    describe_tag(t.channel), t.bytes));
  });
}

}  // namespace slackline
