// Where ranks wait, and for whom.
//
// The problem: time in MPI calls is transfer or waiting, and only the partner's calls tell which.
// The idea: Scalasca's patterns compare when the two sides (message_waits.h) or all members
// (collective_waits.h) of a communication enter their calls. Matched calls (call_matching.h) give
// the partners. What a rank waits for depends on nobody's waiting, so ranks are looked at in as
// many groups as there are threads, each in causal order (causal_order.h), as partners' calls are
// then still in the cache; then the states are put together in that order, causes before effects,
// which is what the delay costs need. A waiting time never exceeds its call: clocks that disagree
// cannot invent waiting. Cost: linear in calls and in the members of collectives.

#include "analysis/waits/wait_states.h"

#include <algorithm>
#include <array>
#include <deque>
#include <span>

#include "analysis/waits/collective_waits.h"
#include "analysis/waits/cut_calls.h"
#include "analysis/waits/message_waits.h"
#include "analysis/waits/poll_waits.h"
#include "base/parallel.h"

namespace slackline {
namespace {

using Kind = CallMatching::Completion::Kind;

/// The longest one with a cause among the states of one call.
void mark_effective(std::span<WaitState> of_call) {
  WaitState* longest = nullptr;
  for (WaitState& s : of_call) {
    if (s.cause_rank < 0 || s.cause_rank == s.rank) continue;
    if (longest == nullptr || s.wait_ns > longest->wait_ns) longest = &s;
  }
  if (longest != nullptr) longest->effective = true;
}

WaitPattern pattern_of(WindowWaitKind kind) {
  switch (kind) {
    case WindowWaitKind::late_post:
      return WaitPattern::late_post;
    case WindowWaitKind::late_complete:
      return WaitPattern::late_complete;
    case WindowWaitKind::lock:
      return WaitPattern::lock;
  }
  return WaitPattern::lock;
}

/// The states of one rank, found call by call in program order.
class RankWaits {
 public:
  RankWaits(const Trace& trace, const CallMatching& matching, const CollectiveWaits& collectives,
            const WindowWaits& windows, const WaitOptions& options, std::int32_t rank)
      : trace_(trace),
        calls_(trace.calls(rank)),
        matching_(matching),
        windows_(windows),
        collectives_(collectives),
        rank_(rank),
        messages_(trace, matching, options, rank, states_),
        polls_(trace, matching, collectives, options, rank, states_) {}
  RankWaits(const RankWaits&) = delete;  // one part refers to another one
  RankWaits& operator=(const RankWaits&) = delete;

  void look(CallIndex call) {
    polls_.look(call);
    add_spins(call);
    const std::size_t before = states_.size();
    if (!add_cut(call)) {
      look_at_completions(call);
      for (const WindowWait& w : windows_.of(rank_, call)) add(call, w);
    }
    if (calls_.thread(call) == 0) mark_effective(std::span(states_).subspan(before));
    known_at_.resize(states_.size(), call);
  }

  const std::vector<WaitState>& states() const { return states_; }
  /// The call that told of each of them: its own, or of a failed poll a later one.
  const std::vector<CallIndex>& known_at() const { return known_at_; }
  const MessageWaits& messages() const { return messages_; }

 private:
  void look_at_completions(CallIndex call) {
    if (!matching_.completes_something(rank_, call)) return;
    collective_.clear();
    matching_.for_completions(rank_, call, [&](const CallMatching::Completion& c) {
      switch (c.kind) {
        case Kind::incoming:
        case Kind::probed:
          return messages_.incoming(call, c.id);
        case Kind::outgoing:
          return messages_.outgoing(call, c.id);
        case Kind::collective:
          return collectives_.add(rank_, call, c.id, collective_);
      }
    });
    finish_completions();
  }

  /// A call that completes several requests waits for all of them at the same time, so that only
  /// the longest wait counts. A blocking collective has two states, one after the other.
  void finish_completions() {
    const auto longest = std::ranges::max_element(collective_, {}, &WaitState::wait_ns);
    if (longest == collective_.end() || longest->pattern != WaitPattern::nonblocking) {
      messages_.finish_call(0);
      states_.insert(states_.end(), collective_.begin(), collective_.end());
    } else if (!messages_.finish_call(longest->wait_ns)) {
      states_.push_back(*longest);
    }
  }

  void add(CallIndex call, const WindowWait& w) {
    const std::int64_t wait = std::min(w.until_ns, calls_.end_ns(call)) - calls_.begin_ns(call);
    if (wait <= 0) return;
    states_.push_back({.wait_ns = wait,
                       .rank = rank_,
                       .call = call,
                       .cause_rank = w.source,
                       .cause_call = w.source_call,
                       .pattern = pattern_of(w.kind)});
  }

  /// Calls that found a lock taken, once the one is there in which it became free.
  void add_spins(CallIndex call) {
    if (windows_.spins().empty()) return;
    const std::vector<SpinWait>& own = windows_.spins()[static_cast<std::size_t>(rank_)];
    const auto spin = std::ranges::lower_bound(own, call, {}, &SpinWait::bound);
    if (spin == own.end() || spin->bound != call) return;
    for (CallIndex i = spin->first; i < call; ++i) {
      states_.push_back({.wait_ns = calls_.end_ns(i) - calls_.begin_ns(i),
                         .rank = rank_,
                         .call = i,
                         .cause_rank = spin->source,
                         .cause_call = spin->source_call,
                         .pattern = WaitPattern::lock,
                         .effective = calls_.thread(i) == 0,
                         .asked_again = true});
    }
  }

  /// All of a call that never returned is waiting for the partner that had not come, and no part of
  /// it anything else. Returns whether one is known to be missing.
  bool add_cut(CallIndex call) {
    const std::int64_t wait = calls_.end_ns(call) - calls_.begin_ns(call);
    if (!calls_.is_cut(call) || wait <= 0) return false;
    const auto missing = missing_partner(trace_, matching_, rank_, call);
    if (!missing) return false;
    states_.push_back({.wait_ns = wait,
                       .rank = rank_,
                       .call = call,
                       .cause_rank = missing->rank,
                       .pattern = missing->pattern});
    return true;
  }

  const Trace& trace_;
  const RankCalls& calls_;
  const CallMatching& matching_;
  const WindowWaits& windows_;
  const CollectiveWaits& collectives_;
  const std::int32_t rank_;
  std::vector<WaitState> states_;
  std::vector<CallIndex> known_at_;
  std::vector<WaitState> collective_;  // of the call that is looked at
  MessageWaits messages_;
  PollWaits polls_;
};

}  // namespace

WaitStates wait_states(const Trace& trace, const CallMatching& matching,
                       const WaitOptions& options) {
  return wait_states(trace, matching, CausalOrder(trace, matching), options);
}

WaitStates wait_states(const Trace& trace, const CallMatching& matching, const CausalOrder& order,
                       const WaitOptions& options) {
  const CollectiveWaits collectives(trace, matching);
  std::deque<RankWaits> ranks;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    ranks.emplace_back(trace, matching, collectives, order.window_waits(), options, r);
  }
  const std::size_t groups = std::min<std::size_t>(hardware_threads(), ranks.size());
  parallel_for(groups, [&](std::size_t group) {
    const std::size_t begin = ranks.size() * group / groups;
    const std::size_t end = ranks.size() * (group + 1) / groups;
    order.forward_in_bursts([&](std::int32_t rank, CallIndex first, CallIndex last) {
      const auto r = static_cast<std::size_t>(rank);
      if (r < begin || r >= end) return;
      for (CallIndex call = first; call < last; ++call) ranks[r].look(call);
    });
  });
  WaitStates out;
  std::size_t count = 0;
  for (const RankWaits& of : ranks) {
    count += of.states().size();
    out.clipped += of.messages().clipped();
    out.clipped_ns += of.messages().clipped_ns();
  }
  out.states.reserve(count);
  std::vector<std::size_t> next(ranks.size(), 0);
  order.forward_in_bursts([&](std::int32_t rank, CallIndex /*first*/, CallIndex end) {
    const auto r = static_cast<std::size_t>(rank);
    const std::vector<WaitState>& mine = ranks[r].states();
    const std::vector<CallIndex>& known_at = ranks[r].known_at();
    while (next[r] < mine.size() && known_at[next[r]] < end) {
      out.states.push_back(mine[next[r]++]);
    }
  });
  out.released = order.deadlocked();
  return out;
}

std::string_view identifier(WaitPattern pattern) {
  constexpr std::array<std::string_view, kWaitPatterns> kNames{
      "late_sender",      "late_receiver",          "wait_at_barrier",       "barrier_completion",
      "wait_at_nxn",      "nxn_completion",         "early_reduce",          "late_broadcast",
      "early_scan",       "nonblocking_collective", "init_completion",       "wait_at_finalize",
      "wait_at_creation", "wait_at_fence",          "wait_at_collective_io", "late_post",
      "late_complete",    "lock_contention",        "wait_at_neighborhood"};
  return kNames[static_cast<std::size_t>(pattern)];
}

std::string_view name(WaitPattern pattern) {
  constexpr std::array<std::string_view, kWaitPatterns> kNames{"late sender",
                                                               "late receiver",
                                                               "wait at barrier",
                                                               "barrier completion",
                                                               "wait at NxN",
                                                               "NxN completion",
                                                               "early reduce",
                                                               "late broadcast",
                                                               "early scan",
                                                               "nonblocking collective",
                                                               "init completion",
                                                               "wait at finalize",
                                                               "wait at creation",
                                                               "wait at fence",
                                                               "wait at collective I/O",
                                                               "late post",
                                                               "late complete",
                                                               "lock contention",
                                                               "wait at neighborhood collective"};
  return kNames[static_cast<std::size_t>(pattern)];
}

namespace {

bool waits_at_its_end(WaitPattern pattern) {
  return pattern == WaitPattern::init_completion || pattern == WaitPattern::barrier_completion ||
         pattern == WaitPattern::nxn_completion;
}

TimeInterval when(const RankCalls& calls, const WaitState& s) {
  if (waits_at_its_end(s.pattern)) {
    return {calls.end_ns(s.call) - s.wait_ns, calls.end_ns(s.call)};
  }
  return {calls.begin_ns(s.call), calls.begin_ns(s.call) + s.wait_ns};
}

}  // namespace

WaitStates waits_in_interval(const Trace& trace, const WaitStates& waits,
                             const TimeInterval& interval) {
  WaitStates inside;
  inside.clipped = waits.clipped;
  inside.clipped_ns = waits.clipped_ns;
  inside.released = waits.released;
  for (WaitState s : waits.states) {
    const RankCalls& calls = trace.calls(s.rank);
    const Operation operation = calls.operation(s.call);
    if (is_init(operation) || operation == Operation::finalize) continue;
    const TimeInterval wait = when(calls, s);
    const std::int64_t whole = s.wait_ns;
    s.wait_ns = std::min(wait.end_ns, interval.end_ns) - std::max(wait.begin_ns, interval.begin_ns);
    if (s.wait_ns <= 0) continue;
    s.between_polls_ns =
        static_cast<std::int64_t>(static_cast<double>(s.between_polls_ns) *
                                  static_cast<double>(s.wait_ns) / static_cast<double>(whole));
    inside.states.push_back(s);
  }
  return inside;
}

}  // namespace slackline
