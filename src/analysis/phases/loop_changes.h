#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/phases/iterations.h"

namespace slackline {

/// What of the ranks' time changes from one phase to the next.
enum class PhaseMetric : std::uint8_t { structure, computation, communication, waiting };
/// The name of a metric in results: "computation".
std::string_view identifier(PhaseMetric metric);

/// A change of behaviour between two iterations of a loop.
struct IterationChange {
  std::size_t iteration = 0;  ///< the first one after the change
  PhaseMetric metric = PhaseMetric::structure;
  std::int32_t rank = -1;  ///< whose; -1: the mean of all ranks
  double before_ns = 0;    ///< of the metric, per iteration
  double after_ns = 0;
  double confidence = 1;
};

/// An iteration that takes longer than those around it.
struct OutlierIteration {
  std::size_t iteration = 0;
  double factor = 1;  ///< its length over the usual one in its phase
};

/// How a loop's iterations differ.
struct LoopChanges {
  std::vector<IterationChange> changes;    ///< ascending
  std::vector<OutlierIteration> outliers;  ///< ascending
};

/// Where computation (all that is outside of MPI) and communication change, of one rank or of all,
/// and where the sequence of calls does; waiting only counts where nothing else changes, as it
/// follows from the others. `times` are the loop's. O(ranks * iterations * log iterations).
LoopChanges loop_changes(const IterationLoop& loop, const std::vector<IterationTimes>& times);

}  // namespace slackline
