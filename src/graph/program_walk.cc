// From a trace to its execution graph, in one sweep.
//
// The problem: match every receive with its send, expand collectives, and number all vertices so
// that every edge leads forward.
//
// The idea: execute the program without time. Each rank is a cursor over its calls (a strand); it
// runs until it must wait for something that no other rank has done yet, then another one runs. A
// vertex is written when its strand gets to it, so vertices come out in topological order by
// construction, mostly many of one rank in a row, which keeps a later pass over them in cache.
// Matching is a by-product: MPI matches in the order of posting, and each rank posts in program
// order. A nonblocking collective is a strand of its own beside its rank.
//
// A vertex is written only where a maximum has to be taken or others may refer to: hand-over of a
// send, completion of receives, rendezvous. Everything else just adds to the computation since the
// strand's newest vertex (`gap_ns`).
//
// What happens when all strands wait is in program_walk_release.cc.
//
// Cost: O(calls + messages); memory for outstanding messages and requests only.

#include "graph/program_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "calls/findings.h"
#include "calls/run_span.h"

namespace slackline {

ProgramWalk::ProgramWalk(const Trace& trace, const GraphOptions& options, GraphBuilder& builder)
    : trace_(trace),
      builder_(builder),
      transfers_(builder, options),
      collectives_(trace, assemble_collectives(trace), options.collectives, builder.findings()),
      ranks_(static_cast<std::size_t>(trace.ranks())) {}

void ProgramWalk::run() {
  const std::int64_t zero = run_span(trace_).analysed.begin_ns;
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) start_rank(r, zero);
  for (std::int32_t r = trace_.ranks(); r-- > 0;) ready_.push_back(static_cast<StrandId>(r));
  do {
    while (!ready_.empty()) {
      const StrandId id = ready_.back();
      ready_.pop_back();
      advance(id);
    }
  } while (release_something());
  end_ranks();
}

void ProgramWalk::start_rank(std::int32_t rank, std::int64_t origin_ns) {
  Strand& strand = strands_[strands_.acquire()];
  strand.rank = rank;
  strand.tail = builder_.vertex(builder_.global_call(rank, 0));
  if (!trace_.calls(rank).empty()) {
    const RankSpan span = rank_span(trace_.calls(rank));
    strand.next_call = static_cast<std::uint32_t>(span.first_call);
    strand.gap_ns = span.analysed.begin_ns - origin_ns;
    ranks_[static_cast<std::size_t>(rank)].steps =
        thread_steps(trace_.calls(rank), strand.next_call);
  }
}

void ProgramWalk::advance(StrandId id) {
  while (!strands_[id].finished) {
    const bool moved =
        strands_[id].collective != nullptr ? advance_collective(id) : advance_main(id);
    auto& woken = transfers_.woken();
    if (!woken.empty()) {
      ready_.insert(ready_.end(), woken.begin(), woken.end());
      woken.clear();
    }
    if (!moved) return;
  }
}

/// Takes the next call of a rank's program; false when it has to wait.
bool ProgramWalk::advance_main(StrandId id) {
  Strand& strand = strands_[id];
  if (strand.probing && !complete_probe(id)) return false;
  if (strand.waiting && !complete(id)) return false;
  if (!ranks_[static_cast<std::size_t>(strand.rank)].steps.empty()) return advance_threads(id);
  const RankCalls& calls = trace_.calls(strand.rank);
  if (strand.next_call >= calls.size()) {
    strand.finished = true;
    return true;
  }
  strand.call = strand.next_call++;
  strand.gap_ns += calls.gap_ns(strand.call);
  enter_call(id, calls.action(strand.call));
  return true;
}

/// Takes the next step of a collective; false when it has to wait.
bool ProgramWalk::advance_collective(StrandId id) {
  Strand& strand = strands_[id];
  if (strand.waiting && !complete(id)) return false;
  if (strand.step == strand.steps.size()) {
    strand.collective = nullptr;
    strand.steps.clear();
    if (!strand.main) {
      strand.finished = true;
      if (strand.waiter != kNone) ready_.push_back(strand.waiter);
    }
    return true;
  }
  const CollectiveStep step = strand.steps[strand.step++];
  using Kind = CollectiveStep::Kind;
  if (step.kind == Kind::wait_all) {
    strand.pending.swap(strand.outstanding);
    strand.waiting = true;
    return true;
  }
  if (step.kind == Kind::wait) {
    const auto oldest = strand.outstanding.begin() + step.peer;
    strand.pending.push_back(*oldest);
    strand.outstanding.erase(oldest);
    strand.waiting = true;
    return true;
  }
  const CollectiveIndex::Instance& instance = *strand.collective;
  // Neighbourhood collectives name their peers themselves.
  const std::int32_t peer = is_neighbourhood(instance.call.operation)
                                ? step.peer
                                : instance.members[static_cast<std::size_t>(step.peer)];
  const bool sends = step.kind == Kind::send || step.kind == Kind::isend;
  const Pending started =
      sends ? send(strand, peer, strand.collective_tag, instance.comm, step.bytes, Operation::send)
            : receive(strand, peer, strand.collective_tag, instance.comm);
  const bool blocks = step.kind == Kind::send || step.kind == Kind::recv;
  (blocks ? strand.pending : strand.outstanding).push_back(started);
  strand.waiting = blocks;
  return true;
}

std::uint32_t ProgramWalk::current_call(const Strand& strand) const {
  return builder_.global_call(strand.rank, strand.call);
}

PathPoint ProgramWalk::here(const Strand& strand) const {
  return PathPoint{strand.tail, strand.gap_ns, strand.overheads, current_call(strand)};
}

/// A new vertex at the end of the strand's path, with its path edge.
VertexId ProgramWalk::extend(Strand& strand, std::uint8_t overheads) {
  const VertexId v = builder_.vertex(current_call(strand));
  builder_.edge(Edge{.from = strand.tail,
                     .kind = strand.main ? EdgeKind::compute : EdgeKind::order,
                     .latencies = 0,
                     .overheads = overheads,
                     .nanoseconds = strand.gap_ns,
                     .bytes = 0});
  strand.tail = v;
  strand.gap_ns = 0;
  strand.overheads += overheads;
  return v;
}

void ProgramWalk::end_ranks() {
  for (std::int32_t rank = 0; rank < trace_.ranks(); ++rank) {
    const Strand& strand = strands_[static_cast<StrandId>(rank)];
    builder_.end_rank(rank, strand.tail, strand.gap_ns);
  }
  transfers_.for_each_unreceived([&](const Transfer& t) {
    builder_.findings().add(kUnmatchedSend,
                            fmt::format("rank {} to rank {}, {}, {} bytes", t.channel.source,
                                        t.channel.destination, describe_tag(t.channel), t.bytes));
  });
}

}  // namespace slackline
