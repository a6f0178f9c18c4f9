#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "analysis/runs/time_breakdown.h"
#include "graph/execution_graph.h"
#include "timing/model_schedule.h"

namespace slackline {

/// Where each rank's time goes under the model, in picoseconds; ensures that the parts add up to
/// the makespan. O(vertices).
///
/// A rank is blocked from the end of its computation and overhead until the vertex's deciding
/// message completes; of that time the message's own latency and bandwidth (with the hand-shake
/// before it) is transfer, and what came before is waiting. I/O counts as computation.
std::vector<TimeBreakdown> rank_breakdown(const ExecutionGraph& graph, const Schedule& schedule,
                                          const PicosecondCost& cost);

/// The same of a run whose graph and schedule are there part by part (graph/build.h).
class BreakdownSum {
 public:
  /// The next part. O(vertices).
  void add(const ExecutionGraph& graph, const Schedule& schedule, const PicosecondCost& cost);
  /// After the last part, whose schedule that is.
  std::vector<TimeBreakdown> finish(const Schedule& last) &&;

  /// The state after the parts so far (base/packed.h).
  auto carried() { return std::tie(parts_, before_links_ps_); }

 private:
  std::vector<TimeBreakdown> parts_;  // by rank
  /// By rank: network time before its link is free of the last message so far, back to the main
  /// path of a rank.
  std::vector<std::int64_t> before_links_ps_;
};

}  // namespace slackline
