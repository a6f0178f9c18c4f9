#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/arithmetic.h"
#include "graph/execution_graph.h"
#include "timing/cost/loggps.h"
#include "timing/network/pair_network.h"

namespace slackline {

/// Each part of an edge's cost is limited to this, 13 days; model_schedule() refuses graphs with
/// such edges, so sums of both kinds fit.
inline constexpr std::int64_t kMostEdgePs = std::int64_t{1} << 60;

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
  /// L and G by pair of ranks. Refers to `graph`; 4 bytes a vertex.
  PicosecondCost(const ExecutionGraph& graph, const LogGPS& model,
                 std::shared_ptr<const PairNetwork> network);

  /// Cost of `e`, an in-edge of `to`.
  EdgeCost operator()(const Edge& e, VertexId to) const {
    const bool alike = network_ == nullptr || (e.latencies == 0 && e.bytes == 0);
    return cost(e, alike ? kinds_.front() : kinds_[kind(e, to)]);
  }
  /// The same where all pairs are alike.
  EdgeCost operator()(const Edge& e) const;

 private:
  struct Network {
    std::int64_t latency_ps;
    std::int64_t gap_per_byte_fs;
  };
  static std::int64_t rounded_ps(Int128 fs) {
    constexpr std::int64_t kFemtosPerPico = 1000;
    return limited((fs + kFemtosPerPico / 2) / kFemtosPerPico);
  }
  static std::int64_t limited(Int128 ps) {
    return static_cast<std::int64_t>(std::min<Int128>(ps, kMostEdgePs));
  }
  // Inline: several passes take every edge's.
  EdgeCost cost(const Edge& e, const Network& network) const {
    const std::int64_t paid_bytes = multiples(e, Parameter::gap_per_byte);
    return EdgeCost{.compute_ps = limited(Int128{e.nanoseconds} * kPicosPerNano),
                    .overhead_ps = limited(Int128{e.overheads} * overhead_ps_),
                    .latency_ps = limited(Int128{e.latencies} * network.latency_ps),
                    .bandwidth_ps = rounded_ps(Int128{paid_bytes} * network.gap_per_byte_fs)};
  }
  /// The costs of the route that `e` takes.
  std::size_t kind(const Edge& e, VertexId to) const;

  std::int64_t overhead_ps_;
  std::vector<Network> kinds_;  // of routes; one where all pairs are alike
  const ExecutionGraph* graph_ = nullptr;
  std::shared_ptr<const PairNetwork> network_;
  std::vector<std::int32_t> ranks_;
};

/// The earliest schedule under `model`. Where several edges are last, the one whose path crosses
/// the network most often decides (the right derivative with respect to L). Throws Error where an
/// edge takes more than 13 days or the run more than 53. O(vertices + edges).
Schedule model_schedule(const ExecutionGraph& graph, const LogGPS& model);
Schedule model_schedule(const ExecutionGraph& graph, const PicosecondCost& cost);

/// The dates at the border between two parts of a run (calls/run_part.h): of the programs of all
/// ranks, and of when their links are free of the messages before it.
struct ScheduleCut {
  struct Reached {
    std::int64_t time_ps = 0;
    std::uint32_t crossings = 0;  ///< of the network, on the path that decides
  };
  std::vector<Reached> programs;  ///< by rank; empty where the run begins
  std::vector<Reached> links;     ///< by rank, the target of ExecutionGraph::link_end(); else 0
};
/// The schedule of the part that begins at `cut`, which then is its end.
Schedule model_schedule(const ExecutionGraph& graph, const PicosecondCost& cost, ScheduleCut& cut);

}  // namespace slackline
