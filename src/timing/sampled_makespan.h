#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "graph/execution_graph.h"
#include "timing/cost/linear_cost.h"
#include "timing/passes/kernel.h"

namespace slackline {

/// A number for each of the runs that a pass evaluates.
using Lanes = std::array<double, passes::kLanes>;

/// The makespans T of several runs of one program, which differ in how long edges take, as
/// functions of one parameter x, the same for all or one for each.
///
/// Nanoseconds as floating point: exact to some 1e-15 for each edge on the path, which is nothing
/// beside what runs differ by. 80 bytes an edge that remains; a pass reads them once for all runs.
class SampledMakespan {
 public:
  /// `add(edge, ns)` adds to the entries of `ns` what the runs spend on the edge beyond its cost;
  /// it is called once for each edge that matters, in the order of their targets. One reduction of
  /// the graph, O(vertices + edges).
  SampledMakespan(const ExecutionGraph& graph, const LinearCost& cost,
                  const std::function<void(const Edge& edge, Lanes& ns)>& add);

  struct Lines {
    Lanes makespan_ns;
    Lanes slope;  ///< of equally long paths the steepest
  };
  /// One pass.
  Lines at(const Lanes& x_ns) const;

  /// By run, the largest x at which T is at most `bound_ns`: negative if T exceeds it everywhere,
  /// infinity if nowhere below a second. `beyond`: values at or beyond the result that are known,
  /// e.g. that of a larger bound. A few passes.
  Lanes largest_within(double bound_ns, const Lanes& beyond) const;
  Lanes largest_within(double bound_ns) const;

 private:
  std::vector<passes::Node> nodes_;
  std::vector<passes::SampledEdge> edges_;
  std::uint32_t slots_ = 1;
};

}  // namespace slackline
