#pragma once

#include <cstdint>
#include <vector>

#include "analysis/model_choice.h"
#include "graph/execution_graph.h"
#include "report/report.h"
#include "trace/trace.h"

namespace slackline {

struct RunReportOptions {
  std::vector<std::int64_t> degradations_ppm;  ///< ascending
  bool pictures = false;                       ///< what only a page can show, too
};

/// Everything there is to say of one run: the judgement, what was measured (of a timed trace), and
/// what the model says. What `slackline report` prints. Linear in calls, and the model's passes.
Report run_report(const Trace& trace, const ExecutionGraph& graph, const ModelChoice& choice,
                  const RunReportOptions& options);

}  // namespace slackline
