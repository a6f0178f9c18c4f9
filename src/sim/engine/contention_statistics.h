#pragma once

#include <cstddef>

#include "sim/engine/matching.h"
#include "sim/engine/simulation_result.h"
#include "sim/network/network.h"

namespace slackline::sim {

/// How much messages slowed each other down, over all messages, and those that lost most. Seconds.
class ContentionStatistics {
 public:
  /// Keeps `most_slowed` messages. `result` must outlive it.
  ContentionStatistics(std::size_t most_slowed, Simulation& result)
      : slowed_(most_slowed), result_(result) {}

  /// A message has arrived. Cost: O(log most_slowed).
  void add(const Network::Arrival& arrival, const Transfer& transfer, double now);
  void finish() { result_.slowed = slowed_.sorted(); }

 private:
  SlowedMessages slowed_;
  Simulation& result_;
};

}  // namespace slackline::sim
