#pragma once

#include <optional>
#include <vector>

#include "analysis/model_choice.h"
#include "analysis/prediction.h"
#include "diagnosis/call_matching.h"
#include "diagnosis/call_paths.h"
#include "diagnosis/measured_path.h"
#include "diagnosis/monitor.h"
#include "graph/execution_graph.h"
#include "report/report.h"
#include "trace/trace.h"

namespace slackline {

/// What is drawn of a measured run.
struct MeasuredPictures {
  const WaitStates& waits;
  const MeasuredPath& path;
  const Monitor& monitor;
};

struct PictureInput {
  const Trace& trace;
  const ExecutionGraph& graph;
  const ModelChoice& choice;
  const Prediction& prediction;
  const CallMatching& matching;
  const CallPaths& paths;
  std::optional<MeasuredPictures> measured{};
};

/// What only a page can show: a section with the time line (the measured run, if there is one, and
/// the predicted one beside it), and one with matrices of pairs of ranks.
std::vector<Section> pictures(const PictureInput& input);

}  // namespace slackline
