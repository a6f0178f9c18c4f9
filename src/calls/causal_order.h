#pragma once

#include <cstdint>
#include <vector>

#include "calls/call_matching.h"
#include "calls/window_waits.h"
#include "trace/trace.h"

namespace slackline {

/// All calls of a measured run in an order in which nothing comes before what it waited for: of
/// everything that a call completes, the other side has begun (its earlier calls come before).
/// Found once and walked, forward or backward, by every analysis. 8 bytes a change of rank, of
/// which there are far fewer than calls.
class CausalOrder {
 public:
  /// Linear in calls and their partners.
  CausalOrder(const Trace& trace, const CallMatching& matching);

  /// Calls that could not go on (a lost message, clocks that disagree) and were forced on.
  std::uint64_t released() const { return released_; }
  /// Those of them that were not just behind a call of another thread of their rank.
  std::uint64_t deadlocked() const { return deadlocked_; }

  /// Whether the order lets members of that collective go on before all have come
  /// (not_synchronising() in calls/replay.h).
  bool not_synchronising(std::uint32_t collective) const { return not_synchronising_[collective]; }

  /// Who waited for whom at windows, which the order respects.
  const WindowWaits& window_waits() const { return window_waits_; }

  /// Calls visit(rank, first, end) for calls of one rank that come one after the other.
  template <class Visit>
  void forward_in_bursts(Visit visit) const {
    std::vector<CallIndex> next(calls_.size(), 0);
    for (const Burst& b : bursts_) {
      CallIndex& at = next[static_cast<std::size_t>(b.rank)];
      const CallIndex first = at;
      at += b.calls;
      visit(b.rank, first, at);
    }
  }
  /// Calls visit(rank, call) for every call.
  template <class Visit>
  void forward(Visit visit) const {
    forward_in_bursts([&visit](std::int32_t rank, CallIndex first, CallIndex end) {
      for (CallIndex at = first; at < end; ++at) visit(rank, at);
    });
  }
  /// The same from the last one to the first.
  template <class Visit>
  void backward(Visit visit) const {
    std::vector<CallIndex> next = calls_;
    for (auto b = bursts_.rbegin(); b != bursts_.rend(); ++b) {
      CallIndex& at = next[static_cast<std::size_t>(b->rank)];
      for (const CallIndex end = at - b->calls; at > end;) visit(b->rank, --at);
    }
  }

  /// Had call `of` of rank `source` begun when `call` of `rank` came? Always so for what a call
  /// completes, unless calls were forced on.
  bool begun(std::int32_t source, CallIndex of, std::int32_t rank, CallIndex call) const {
    return released_ == 0 || of == 0 || before(source, of - 1, rank, call);
  }
  /// Where calls were forced on: does one call come before another one?
  bool before(std::int32_t rank, CallIndex call, std::int32_t other, CallIndex its) const {
    return position(rank, call) < position(other, its);
  }

 private:
  struct Burst {
    std::int32_t rank;
    CallIndex calls;
  };
  std::uint64_t position(std::int32_t rank, CallIndex call) const {
    return position_[static_cast<std::size_t>(rank)][call];
  }
  void number_calls();

  std::vector<bool> not_synchronising_;  // by collective
  WindowWaits window_waits_;
  std::vector<CallIndex> calls_;  // of each rank
  std::vector<Burst> bursts_;
  std::uint64_t released_ = 0;
  std::uint64_t deadlocked_ = 0;
  std::vector<std::vector<std::uint64_t>> position_;  // only where calls were forced on
};

}  // namespace slackline
