#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "trace/trace.h"

namespace slackline {

/// A run of a LULESH-like code: ranks, each of which exchanges halos with 26 neighbours by
/// nonblocking messages three times a step; then all agree on the time step. Times have the spread
/// of real ones, and nothing is received before it was sent. 238 calls a step of each rank, none of
/// which is kept, so that a run may be larger than the memory.
class HaloRun {
 public:
  /// At least 27 ranks. O(calls), 32 bytes a step.
  HaloRun(int ranks, int steps);

  int ranks() const { return ranks_; }
  std::uint64_t calls_of_rank() const;
  /// Calls visit(call) for each of the rank's calls in order.
  void for_each_call(int rank, const std::function<void(const Call&)>& visit) const;

 private:
  int ranks_;
  int steps_;
  std::vector<std::int64_t> sync_points_ns_;  // when the last rank gets there: four a step
};

/// A timed trace of such a run of 27 ranks: about 6,400 calls a step.
Trace make_halo_trace(int steps);

}  // namespace slackline
