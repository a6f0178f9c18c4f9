// If all strands wait, the trace is damaged or the program deadlocks under the chosen threshold.
// Then the least doubtful assumption is given up, one at a time, and counted in the findings: (1)
// waiting for a rank whose program is over; (2) senders over the threshold, which MPI may well have
// buffered; (3) the receive that was posted first.
//
// Every strand that waits, waits for one other, so without waiters on ended programs there is a
// cycle to break.

#include "graph/program_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "calls/findings.h"

namespace slackline {
namespace {

constexpr FindingKind kRendezvousDeadlock{
    "rendezvous_deadlock", Severity::notice,
    "Sends above the eager threshold that wait for each other; modelled as eager. The real run "
    "must have buffered them: the threshold S is too small, or the program relies on buffering."};

}  // namespace

bool ProgramWalk::release_something() {
  const bool released = release_hopeless() || release_cycles();
  auto& woken = transfers_.woken();
  ready_.insert(ready_.end(), woken.begin(), woken.end());
  woken.clear();
  return released;
}

StrandId ProgramWalk::waits_for(StrandId id) const {
  const Strand& strand = strands_[id];
  if (strand.finished) return kNone;
  if (strand.probing) return static_cast<StrandId>(strand.probed.source);
  const Pending* open = blocking(strand);
  if (open == nullptr) return kNone;
  if (open->kind == Pending::Kind::strand) return open->id;
  const MessageChannel& channel = transfers_[open->id].channel;
  return static_cast<StrandId>(open->kind == Pending::Kind::send ? channel.destination
                                                                 : channel.source);
}

bool ProgramWalk::blocks_on_send(StrandId id) const {
  const Pending* open = strands_[id].probing ? nullptr : blocking(strands_[id]);
  return open != nullptr && open->kind == Pending::Kind::send;
}

void ProgramWalk::release_receive(StrandId id) {
  Strand& strand = strands_[id];
  const Pending* open = blocking(strand);
  const MessageChannel& channel = strand.probing ? strand.probed : transfers_[open->id].channel;
  builder_.findings().add(
      kUnmatchedReceive,
      fmt::format("rank {}, call {} ({}): from rank {}, {}", strand.rank, strand.call,
                  identifier(trace_.calls(strand.rank).operation(strand.call)), channel.source,
                  describe_tag(channel)));
  if (strand.probing) {
    strand.probing = false;
    ready_.push_back(id);
  } else {
    transfers_.release_receive(open->id);
  }
}

/// Gives up on everything that waits for a rank whose program has ended.
bool ProgramWalk::release_hopeless() {
  bool released = false;
  for (StrandId id = 0; id < strands_.size(); ++id) {
    const StrandId other = waits_for(id);
    if (other == kNone || !strands_[other].finished) continue;
    if (blocks_on_send(id)) {
      transfers_.release_send(blocking(strands_[id])->id);
    } else {
      release_receive(id);
    }
    released = true;
  }
  return released;
}

/// Every strand that still waits, waits for one other: following them ends in a cycle.
bool ProgramWalk::release_cycles() {
  std::vector<StrandId> seen_from(strands_.size(), kNone);
  bool released = false;
  for (StrandId start = 0; start < strands_.size(); ++start) {
    StrandId at = start;
    while (at != kNone && seen_from[at] == kNone && waits_for(at) != kNone) {
      seen_from[at] = start;
      at = waits_for(at);
    }
    if (at == kNone || seen_from[at] != start || waits_for(at) == kNone) continue;
    std::vector<StrandId> cycle{at};
    for (StrandId next = waits_for(at); next != at; next = waits_for(next)) cycle.push_back(next);
    break_cycle(cycle);
    released = true;
  }
  return released;
}

void ProgramWalk::break_cycle(const std::vector<StrandId>& cycle) {
  bool sends = false;
  for (const StrandId id : cycle) {
    if (!blocks_on_send(id)) continue;
    sends = true;
    const Strand& strand = strands_[id];
    builder_.findings().add(
        kRendezvousDeadlock,
        fmt::format("rank {}, call {} ({})", strand.rank, strand.call,
                    identifier(trace_.calls(strand.rank).operation(strand.call))));
    transfers_.release_send(blocking(strand)->id);
  }
  if (sends) return;
  const auto begin = [&](StrandId id) {
    const Strand& strand = strands_[id];
    // A strand that waits for a side strand holds no receive of its own.
    const bool holds = strand.probing || blocking(strand)->kind != Pending::Kind::strand;
    return holds ? trace_.calls(strand.rank).begin_ns(strand.call)
                 : std::numeric_limits<std::int64_t>::max();
  };
  release_receive(std::ranges::min(cycle, {}, begin));
}

}  // namespace slackline
