#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "analysis/model/model_choice.h"
#include "analysis/model/model_path.h"
#include "analysis/model/rank_breakdown.h"
#include "analysis/runs/measured.h"
#include "report/rows.h"
#include "report/typed_report.h"
#include "timing/base_slopes.h"
#include "timing/link_load.h"
#include "timing/makespan.h"
#include "timing/model_schedule.h"

namespace slackline {

class ModelFunctions;

/// What the LogGPS model says of one trace at one set of parameters.
struct Prediction {
  double makespan_ns = 0;
  // Derivatives of the makespan: how often the path pays L and o, and for how many bytes G.
  std::int64_t lambda_latency = 0;
  std::int64_t lambda_overhead = 0;
  std::int64_t lambda_gap_bytes = 0;
  /// Messages cost what was measured at their size, so that G is paid for more or fewer bytes than
  /// they have.
  bool measured_costs = false;
  double rho_latency = 0;  ///< part of the makespan that is latency: L * lambda_L / T
  Side side = Side::right;
  std::optional<MeasuredRun> measured;
  std::vector<TimeBreakdown> ranks_ps;  ///< parts add up to the makespan
  ModelPath path;
  LinkDelay link;  ///< that T leaves out
  bool link_is_negligible = true;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint64_t messages = 0;
};

/// What happens under the model at its own values. Refers to `graph`.
struct ModelledRun {
  ModelledRun(const Trace& trace, const ExecutionGraph& graph, const ModelChoice& choice);

  PicosecondCost cost;
  Schedule schedule;
  std::vector<TimeBreakdown> ranks_ps;  ///< parts add up to the makespan
  ModelPath path;
};

/// Three passes over the graph and one schedule.
Prediction predict(const Trace& trace, const ExecutionGraph& graph, const ModelChoice& choice,
                   Side side = Side::right);
/// The same where the schedule is known already: `run` of the same graph and choice.
Prediction predict(const Trace& trace, const ModelFunctions& functions, const ModelledRun& run,
                   Side side = Side::right);

/// The same for a run whose graph is built part by part (graph/build.h): all parts in order, then
/// again from the last but one to the first. All pairs of ranks are alike. Without the path's
/// segments. Keeps 32 bytes per rank and part. Several objects can take the parts in turn, if
/// carried() is copied from each to the next.
class PredictionInParts {
 public:
  PredictionInParts(const ModelChoice& choice, std::int32_t ranks, Side side);

  /// The next part, which is number `number`.
  void add(const Trace& trace, const ExecutionGraph& graph, const RunPart& part,
           std::size_t number);
  /// A part that this object has added, again.
  void add_again(const Trace& trace, const ExecutionGraph& graph, const RunPart& part,
                 std::size_t number);
  Prediction finish() &&;

  /// The state after the parts so far (base/packed.h).
  auto carried() {
    return std::tie(prediction_.vertices, prediction_.edges, prediction_.messages,
                    prediction_.ranks_ps, prediction_.link, prediction_.link_is_negligible,
                    used_links_, cut_.programs, cut_.links, slopes_, ranks_, links_, path_);
  }

 private:
  void count(const ExecutionGraph& graph, const RunPart& part);

  ModelChoice choice_;
  PicosecondCost cost_;
  Prediction prediction_;
  std::vector<char> used_links_;  // by rank: whether there was a message so far
  ScheduleCut cut_;
  std::map<std::size_t, ScheduleCut> begins_;  // of the parts that this object has added
  BaseSlopes slopes_;
  BreakdownSum ranks_;
  LinkLoad links_;
  ModelPathSum path_;
};

extern const Rows<Prediction, Trace> kPrediction;
using PredictionJson = JsonBy<kPrediction>;
/// Result and sections; the caller adds options, input and findings.
Described<PredictionJson> describe(const Prediction& prediction, const Trace& trace);

extern const Rows<Prediction, Trace> kPredictedPath;
using PredictedPathJson = JsonBy<kPredictedPath>;
/// The critical path itself, segment by segment, for `slackline critical-path`.
Described<PredictedPathJson> describe_critical_path(const Prediction& prediction,
                                                    const Trace& trace);

}  // namespace slackline
