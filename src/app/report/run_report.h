#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "advice/advice.h"
#include "analysis/model/model_choice.h"
#include "analysis/regression/job_summary.h"
#include "calls/call_matching.h"
#include "calls/run_span.h"
#include "graph/execution_graph.h"
#include "page/simulated_run.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "trace/trace.h"
#include "trace/trace_extras.h"

namespace slackline {

struct RunReportOptions {
  std::vector<std::int64_t> degradations_ppm;  ///< ascending
  std::vector<std::string> scenarios{};        ///< collective algorithms to compare, as rules
  bool pictures = false;                       ///< what only a page can show, too
  bool every_call = false;                     ///< as PictureInput::every_call
  const SimulatedRun* simulated = nullptr;     ///< a simulation of the same trace
  const SendRecords* sends = nullptr;          ///< as WaitOptions::sends
  std::optional<TimeInterval> analysed{};      ///< as of diagnose()
  const Samples* samples = nullptr;            ///< of the trace
  JobIdentity identity{};                      ///< of the run, for its summary
  /// Told the summary of a measured run, once.
  std::function<void(const JobSummary&)> summarised{};
};

/// Gives a trace's graph under a choice, which is built only then if nobody needed it before.
/// Called once, in any thread; what it refers to lives on.
using GraphSource = std::function<const ExecutionGraph&()>;

/// Gives the best change of a measured run, and of the one that the model predicts.
struct AdviceSource {
  std::function<Advice(ScenarioRuns&, std::span<const LimitingCause>)> on_run;  ///< null: of none
  std::function<Advice()> on_prediction;
};

/// The first screen of that report (first_screen()): only what is shown is computed. `path`: of the
/// trace.
Report run_summary(const Trace& trace, const CallMatching& matching, const GraphSource& graph,
                   const ModelChoice& choice, const RunReportOptions& options,
                   const std::string& path, const AdviceSource& advise);

using RunReportJson = JsonOf<struct RunReportJsonTag>;
const JsonType& declared_type(const RunReportJsonTag*);
/// Everything there is to say of one run: the judgement, what was measured (of a timed trace), what
/// the model says and, if it was simulated, how it runs on that machine. What `slackline report`
/// prints. Linear in calls, and the model's passes; the model's answers, the measured run and the
/// pictures side by side, each as soon as what it needs is there.
Described<RunReportJson> run_report(const Trace& trace, const CallMatching& matching,
                                    const GraphSource& graph, const ModelChoice& choice,
                                    const RunReportOptions& options);

}  // namespace slackline
