#pragma once

#include <cstdint>

#include "graph/execution_graph.h"
#include "graph/schedule.h"
#include "timing/loggps.h"

namespace slackline {

/// What one edge costs, by cause. Picoseconds.
struct EdgeCost {
  std::int64_t compute_ps = 0;
  std::int64_t overhead_ps = 0;
  std::int64_t latency_ps = 0;
  std::int64_t bandwidth_ps = 0;

  std::int64_t total_ps() const { return compute_ps + overhead_ps + latency_ps + bandwidth_ps; }
};

/// LogGPS in whole picoseconds: parameters finer than that are rounded per edge, so that parts
/// always add up. (MakespanFunction does not round.)
class PicosecondCost {
 public:
  explicit PicosecondCost(const LogGPS& model);
  EdgeCost operator()(const Edge& e) const;

 private:
  std::int64_t latency_ps_;
  std::int64_t overhead_ps_;
  std::int64_t gap_per_byte_fs_;
};

/// The earliest schedule under `model`. Where several edges are last, the one whose path crosses
/// the network most often decides (the right derivative with respect to L). O(vertices + edges).
Schedule model_schedule(const ExecutionGraph& graph, const LogGPS& model);

}  // namespace slackline
