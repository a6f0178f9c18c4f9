#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "base/arithmetic.h"
#include "graph/execution_graph.h"
#include "timing/cost/loggps.h"
#include "timing/cost/ticks.h"

namespace slackline {

/// T at the model's own values and its derivatives by L, o and G, as MakespanFunction has them, of
/// a run whose graph is there part by part (graph/build.h).
///
/// A date is carried with the three slopes of the paths to it: in femtoseconds it is the same
/// whatever parameter varies, so that one pass finds all. O(vertices + edges), 48 bytes a vertex of
/// a part.
class BaseSlopes {
 public:
  /// `side`: which derivative, where several paths are equally long.
  BaseSlopes(const LogGPS& model, Side side);

  /// The next part.
  void add(const ExecutionGraph& graph);

  // After the last part:
  double makespan_ns() const;
  std::int64_t slope(Parameter parameter) const;

  /// The state after the parts so far (base/packed.h).
  auto carried() { return std::tie(programs_, links_); }

 private:
  static constexpr std::size_t kParameters = 3;
  /// The longest path to somewhere; of equally long ones the most or the least of each parameter.
  struct Reached {
    Int128 fs = 0;
    std::array<std::int64_t, kParameters> slopes{};
  };
  Reached after(const Reached& reached, const Edge& e) const;
  void take(Reached& best, const Reached& other) const;
  Reached last() const;

  LogGPS model_;
  std::array<bool, kParameters> steepest_;
  std::vector<Reached> programs_;  // by rank, where the parts so far end
  std::vector<Reached> links_;
};

}  // namespace slackline
