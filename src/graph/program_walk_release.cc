// If all contexts wait, the trace is damaged or the program deadlocks under the chosen threshold.
// Then the least doubtful assumption is given up, one at a time, and counted in the findings: (1)
// waiting for a rank whose program is over; (2) senders over the threshold, which MPI may well have
// buffered; (3) synchronous senders, which MPI never lets go on; (4) the receive that was posted
// first.
//
// Every context that waits, waits for one other, so without waiters on ended programs there is a
// cycle to break.

#include "graph/program_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "calls/findings.h"

namespace slackline {
bool ProgramWalk::release_something() {
  const bool released = release_hopeless() || release_cycles();
  auto& woken = messages_.woken();
  ready_.insert(ready_.end(), woken.begin(), woken.end());
  woken.clear();
  return released;
}

ContextId ProgramWalk::waits_for(ContextId id) const {
  const Context& context = contexts_[id];
  if (context.finished) return kNone;
  if (context.probing) return static_cast<ContextId>(context.probed.source);
  const Pending* open = blocking(context);
  if (open == nullptr) return kNone;
  if (open->kind == Pending::Kind::context) return open->id;
  const MessageChannel& channel = messages_[open->id].channel;
  return static_cast<ContextId>(open->kind == Pending::Kind::send ? channel.destination
                                                                  : channel.source);
}

bool ProgramWalk::blocks_on_send(ContextId id) const {
  const Pending* open = contexts_[id].probing ? nullptr : blocking(contexts_[id]);
  return open != nullptr && open->kind == Pending::Kind::send;
}

void ProgramWalk::release_receive(ContextId id) {
  Context& context = contexts_[id];
  const Pending* open = blocking(context);
  const MessageChannel& channel = context.probing ? context.probed : messages_[open->id].channel;
  const RankCalls& calls = trace_.calls(context.rank);
  if (!calls.has(context.call, SLK_FLAG_CANCELLED)) {
    builder_.findings().add(calls.is_cut(context.call) ? kOpenReceive : kUnmatchedReceive,
                            fmt::format("rank {}, call {} ({}): from rank {}, {}", context.rank,
                                        context.call, identifier(calls.operation(context.call)),
                                        channel.source, describe_tag(channel)));
  }
  if (context.probing) {
    context.probing = false;
    ready_.push_back(id);
  } else {
    messages_.release_receive(open->id);
  }
}

/// Gives up on everything that waits for a rank whose program has ended.
bool ProgramWalk::release_hopeless() {
  bool released = false;
  for (ContextId id = 0; id < contexts_.size(); ++id) {
    const ContextId other = waits_for(id);
    if (other == kNone || !contexts_[other].finished) continue;
    if (blocks_on_send(id)) {
      messages_.release_send(blocking(contexts_[id])->id);
    } else {
      release_receive(id);
    }
    released = true;
  }
  return released;
}

/// Every context that still waits, waits for one other: following them ends in a cycle.
bool ProgramWalk::release_cycles() {
  std::vector<ContextId> seen_from(contexts_.size(), kNone);
  bool released = false;
  for (ContextId start = 0; start < contexts_.size(); ++start) {
    ContextId at = start;
    while (at != kNone && seen_from[at] == kNone && waits_for(at) != kNone) {
      seen_from[at] = start;
      at = waits_for(at);
    }
    if (at == kNone || seen_from[at] != start || waits_for(at) == kNone) continue;
    std::vector<ContextId> cycle{at};
    for (ContextId next = waits_for(at); next != at; next = waits_for(next)) cycle.push_back(next);
    break_cycle(cycle);
    released = true;
  }
  return released;
}

/// Lets the sends of that kind go on that the cycle waits for. Were there any?
bool ProgramWalk::release_sends(const std::vector<ContextId>& cycle, bool synchronous) {
  bool released = false;
  for (const ContextId id : cycle) {
    if (!blocks_on_send(id)) continue;
    const Context& context = contexts_[id];
    const MessageId send = blocking(context)->id;
    if (messages_[send].synchronous != synchronous) continue;
    builder_.findings().add(
        synchronous ? kSynchronousDeadlock : kRendezvousDeadlock,
        fmt::format("rank {}, call {} ({})", context.rank, context.call,
                    identifier(trace_.calls(context.rank).operation(context.call))));
    messages_.release_send(send);
    released = true;
  }
  return released;
}

void ProgramWalk::break_cycle(const std::vector<ContextId>& cycle) {
  if (release_sends(cycle, false) || release_sends(cycle, true)) return;
  const auto begin = [&](ContextId id) {
    const Context& context = contexts_[id];
    // A context that waits for a side context holds no receive of its own.
    const bool holds = context.probing || blocking(context)->kind != Pending::Kind::context;
    return holds ? trace_.calls(context.rank).begin_ns(context.call)
                 : std::numeric_limits<std::int64_t>::max();
  };
  release_receive(std::ranges::min(cycle, {}, begin));
}

}  // namespace slackline
