#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/model/interval.h"
#include "analysis/model/prediction.h"
#include "report/object.h"
#include "report/typed_report.h"

namespace slackline {

/// How sure a prediction is: 95 % intervals.
struct PredictionIntervals {
  IntervalMethod method = IntervalMethod::bootstrap;
  std::size_t samples = 0;  ///< of a calibration 0
  Interval makespan_ns{};
  Interval lambda_latency{};
  Interval rho_latency{};
  std::optional<Interval> measured_ns{};  ///< only of several recordings with times
};

/// From one recording: its computation is resampled (ResampledComputation). Deterministic for a
/// seed. A reduction of the graph for each replicate, on all threads.
PredictionIntervals bootstrap_prediction(const Trace& trace, const ExecutionGraph& graph,
                                         const ModelChoice& choice, std::size_t replicates,
                                         std::uint64_t seed);

/// Under the ends of `choice`'s measured bounds, which must be there. T grows with each parameter,
/// so that it lies between what the low ends and the high ends give, however they vary together.
/// Two predictions.
PredictionIntervals calibrated_prediction(const Prediction& prediction, const ExecutionGraph& graph,
                                          const ModelChoice& choice);

/// From predictions of at least two recordings of one program.
PredictionIntervals intervals_of_predictions(const std::vector<Prediction>& runs);

using PredictionIntervalsJson = JsonOf<struct PredictionIntervalsJsonTag>;
const JsonType& declared_type(const PredictionIntervalsJsonTag*);
/// Adds a table. Returns the same, for an entry of `result.intervals`.
PredictionIntervalsJson add_intervals(std::vector<Section>& sections,
                                      const PredictionIntervals& intervals);

}  // namespace slackline
