#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/execution_graph.h"
#include "graph/schedule.h"
#include "timing/cost/loggps.h"
#include "timing/network/pair_network.h"

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
  static std::int64_t rounded_ps(std::int64_t fs) {
    constexpr std::int64_t kFemtosPerPico = 1000;
    return (fs + kFemtosPerPico / 2) / kFemtosPerPico;
  }
  // Inline: several passes take every edge's.
  EdgeCost cost(const Edge& e, const Network& network) const {
    const std::int64_t paid_bytes = multiples(e, Parameter::gap_per_byte);
    return EdgeCost{.compute_ps = e.nanoseconds * kPicosPerNano,
                    .overhead_ps = e.overheads * overhead_ps_,
                    .latency_ps = e.latencies * network.latency_ps,
                    .bandwidth_ps = rounded_ps(paid_bytes * network.gap_per_byte_fs)};
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
/// the network most often decides (the right derivative with respect to L). O(vertices + edges).
Schedule model_schedule(const ExecutionGraph& graph, const LogGPS& model);
Schedule model_schedule(const ExecutionGraph& graph, const PicosecondCost& cost);

}  // namespace slackline
