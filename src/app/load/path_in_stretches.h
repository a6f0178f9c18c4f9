#pragma once

#include <optional>
#include <vector>

#include "analysis/paths/critical_path.h"
#include "analysis/paths/imbalance.h"
#include "analysis/paths/path_functions.h"
#include "app/load/stretched_run.h"
#include "parallel/process_group.h"

namespace slackline {

/// The critical path of a measured run with what is said beside it.
struct MeasuredPath {
  CriticalPath path;  ///< of a run in stretches no segments where there are over kSegmentsListed
  ImbalanceMetrics imbalance;
  std::vector<PathFunction> functions;  ///< of the whole run
};

/// The same as of the whole run, to the bit. Two passes over the stretches: the first finds the
/// path, the second what its largest activities could gain. To be called by all processes; nothing
/// in all where only the whole trace tells. Throws Error if that needs more memory than there is.
std::optional<MeasuredPath> path_in_stretches(StretchedRun& run, ProcessGroup& group);

}  // namespace slackline
