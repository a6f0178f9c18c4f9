#pragma once

#include <string>
#include <vector>

#include "analysis/model/prediction.h"
#include "analysis/model/sensitivity.h"
#include "report/object.h"
#include "report/typed_report.h"

namespace slackline {

/// What `slackline report` answers in one go: where the time goes, what holds the run back, how
/// much latency it takes.
struct Overview {
  Prediction prediction;
  Tolerances tolerances;    ///< of L
  Sensitivity sensitivity;  ///< T(L) from 0 to beyond the largest tolerance
};

/// `degradations_ppm` ascending.
Overview overview(const Trace& trace, const ExecutionGraph& graph, const ModelChoice& choice,
                  const std::vector<std::int64_t>& degradations_ppm);

/// The same where its parts are ready.
Overview overview(const Trace& trace, const ModelFunctions& functions, const ModelledRun& run,
                  const std::vector<std::int64_t>& degradations_ppm);

using OverviewJson = JsonOf<struct OverviewJsonTag>;
const JsonType& declared_type(const OverviewJsonTag*);
/// Result and sections; the caller adds options, input and findings.
Described<OverviewJson> describe(const Overview& overview, const Trace& trace);

/// What holds the run back most under the model, and what its critical path consists of.
std::string limit_sentence(const Prediction& prediction);
std::string path_sentence(const Prediction& prediction);

/// What the ranks' parts say about the run, each as a share of ranks x makespan.
struct Losses {
  double compute = 0;    ///< useful: the parallel efficiency
  double imbalance = 0;  ///< what the busiest rank computes more than the mean
  double transfer = 0;
  double overhead = 0;
  double dependence = 0;  ///< waiting that imbalance does not explain
  std::int32_t busiest_rank = 0;
  double busiest_over_mean = 1;
};
/// `ranks` in any unit, one entry a rank; all 0 for a run without length.
Losses losses(const std::vector<TimeBreakdown>& ranks);

}  // namespace slackline
