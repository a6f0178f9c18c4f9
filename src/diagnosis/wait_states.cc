// Where ranks wait, and for whom.
//
// The problem: time in MPI calls is transfer or waiting, and only the partner's calls tell which.
// The idea: Scalasca's patterns compare when the two sides (message_waits.h) or all members
// (collective_waits.h) of a communication enter their calls. Matched calls (call_matching.h) give
// the partners. What a rank waits for depends on nobody's waiting, so ranks are looked at in
// threads, each a stream over its own calls; then their states are put together in causal order
// (causal_order.h), causes before effects, which is what the delay costs need. A waiting time never
// exceeds its call: clocks that disagree cannot invent waiting. Cost: linear in calls and in the
// members of collectives.

#include "diagnosis/wait_states.h"

#include <span>

#include "base/parallel.h"
#include "diagnosis/collective_waits.h"
#include "diagnosis/message_waits.h"

namespace slackline {
namespace {

using Kind = CallMatching::Completion::Kind;

struct OfRank {
  std::vector<WaitState> states;
  std::uint64_t clipped = 0;
  std::int64_t clipped_ns = 0;
};

/// Of the states of one call, the longest one with a cause.
void mark_effective(std::span<WaitState> of_call) {
  WaitState* longest = nullptr;
  for (WaitState& s : of_call) {
    if (s.cause_rank < 0 || s.cause_rank == s.rank) continue;
    if (longest == nullptr || s.wait_ns > longest->wait_ns) longest = &s;
  }
  if (longest != nullptr) longest->effective = true;
}

OfRank states_of_rank(const Trace& trace, const CallMatching& matching,
                      const CollectiveWaits& collectives, const WaitOptions& options,
                      std::int32_t rank) {
  OfRank out;
  MessageWaits messages(trace, matching, options, rank, out.states);
  const auto calls = static_cast<CallIndex>(trace.calls(rank).size());
  for (CallIndex call = 0; call < calls; ++call) {
    if (!matching.completes_something(rank, call)) continue;
    const std::size_t before = out.states.size();
    matching.for_completions(rank, call, [&](const CallMatching::Completion& c) {
      switch (c.kind) {
        case Kind::incoming:
          return messages.incoming(call, c.id);
        case Kind::outgoing:
          return messages.outgoing(call, c.id);
        case Kind::collective:
          return collectives.add(rank, call, c.id, out.states);
      }
    });
    messages.finish_call();
    mark_effective(std::span(out.states).subspan(before));
  }
  out.clipped = messages.clipped();
  out.clipped_ns = messages.clipped_ns();
  return out;
}

}  // namespace

WaitStates wait_states(const Trace& trace, const CallMatching& matching,
                       const WaitOptions& options) {
  return wait_states(trace, matching, CausalOrder(trace, matching), options);
}

WaitStates wait_states(const Trace& trace, const CallMatching& matching, const CausalOrder& order,
                       const WaitOptions& options) {
  const CollectiveWaits collectives(trace, matching);
  std::vector<OfRank> ranks(static_cast<std::size_t>(trace.ranks()));
  parallel_for(ranks.size(), [&](std::size_t r) {
    ranks[r] = states_of_rank(trace, matching, collectives, options, static_cast<std::int32_t>(r));
  });
  WaitStates out;
  std::size_t count = 0;
  for (const OfRank& of : ranks) {
    count += of.states.size();
    out.clipped += of.clipped;
    out.clipped_ns += of.clipped_ns;
  }
  out.states.reserve(count);
  std::vector<std::size_t> next(ranks.size(), 0);
  order.forward_in_bursts([&](std::int32_t rank, CallIndex /*first*/, CallIndex end) {
    const auto r = static_cast<std::size_t>(rank);
    const std::vector<WaitState>& mine = ranks[r].states;
    while (next[r] < mine.size() && mine[next[r]].call < end) {
      out.states.push_back(mine[next[r]++]);
    }
  });
  out.released = order.released();
  return out;
}

}  // namespace slackline
