#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/object.h"
#include "report/report.h"
#include "training/training_run.h"

namespace slackline {

/// How long a training run would have taken with one thing different.
struct TrainingWhatIf {
  std::string change{};  ///< "no straggler"
  double run_time_ns = 0;
};

/// The run as its graph predicts it, first, then what-if questions; nothing of a run without GPU
/// kernels. `run` has corrected clocks.
/// Four graphs (build_training_graph) and one pass each over them, two more over the first.
std::vector<TrainingWhatIf> training_what_ifs(const TrainingRun& run);

using WhatIfsJson = JsonOf<struct WhatIfsJsonTag>;
const JsonType& declared_type(const WhatIfsJsonTag*);
/// Adds them as a table. Returns the same, for result.what_if.
WhatIfsJson add_what_ifs(const std::vector<TrainingWhatIf>& all, std::vector<Section>& sections);

}  // namespace slackline
