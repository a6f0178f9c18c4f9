#pragma once

#include <cstdint>
#include <vector>

#include "analysis/waits/wait_states.h"
#include "calls/call_set.h"
#include "trace/trace.h"

namespace slackline {

/// The last synchronisation point of two ranks: one waited for the other, or both left a collective
/// after its last member had come. From `since_ns` on, when the first of them went on, each is on
/// its own.
struct LastSyncPoint {
  std::int64_t here = -1;   ///< index of the call; -1: never, so since the run began
  std::int64_t there = -1;  ///< and of the other rank's
  std::int64_t since_ns = 0;
};

/// The synchronisation points of a run, between which delays are compared: waits with their two
/// sides, and collectives. 24 bytes a side. Source: Boehme, Geimer, Wolf, Arnold, "Identifying the
/// root causes of wait states in large-scale parallel applications", 2010; Scalasca.
class SyncPoints {
 public:
  /// Keeps references. O(n log n) in waits and members of collectives, ranks in threads.
  SyncPoints(const Trace& trace, const CallMatching& matching, const WaitStates& waits);

  /// The last one of the two ranks of a wait before it. O(points of the rank since then).
  LastSyncPoint last_before(const WaitState& w) const;

  /// The calls that are one: both calls of every wait are.
  const CallSet& calls() const { return calls_; }

 private:
  static constexpr std::int32_t kCollective = -1;  // `other` is a collective
  struct Point {
    std::int64_t since_ns;
    CallIndex call;
    std::int32_t partner;
    std::uint32_t other;  // the partner's call
  };

  void add_waits(const WaitStates& waits);
  void number_points(std::int32_t rank);
  void add_collective(std::uint32_t id);
  bool in_collective(const WaitState& w) const;
  std::int64_t partner_call(const Point& p, std::int32_t partner) const;

  const Trace& trace_;
  const CallMatching& matching_;
  std::vector<char> is_sync_point_;         // of each collective: whether it is a point
  std::vector<std::vector<Point>> points_;  // of each rank, by call
  CallSet calls_;
  std::vector<std::uint32_t> first_;  // of each of `calls_`: its first point
};

}  // namespace slackline
