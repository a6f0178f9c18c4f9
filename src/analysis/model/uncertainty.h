#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model/interval.h"
#include "analysis/model/sensitivity.h"
#include "report/object.h"
#include "report/typed_report.h"

namespace slackline {

/// Tolerances with 95 % intervals.
struct ToleranceIntervals {
  struct Row {
    std::int64_t degradation_ppm;
    /// Empty: unlimited.
    std::optional<double> low_ns, middle_ns, high_ns;
  };

  IntervalMethod method = IntervalMethod::bootstrap;
  std::size_t samples = 0;
  VariedParameter parameter;
  std::vector<Row> rows;
  /// The tolerances (by `rows`) of each trace, in the order given. Only with IntervalMethod::runs.
  std::vector<std::vector<std::optional<double>>> of_traces;
};

/// Intervals from one trace: `replicates` times, computation between calls is drawn anew from the
/// trace's own, with replacement, and the tolerances are found again. Occurrences of computation
/// between the same two operations stand for each other; all that occur equally often, on any rank,
/// draw the same ones, so that an iteration stays together.
/// Deterministic for a seed. A reduction of the graph for each replicate, on all threads.
ToleranceIntervals bootstrap_tolerances(const Trace& trace, const ExecutionGraph& graph,
                                        const ModelChoice& choice, const VariedParameter& parameter,
                                        const std::vector<std::int64_t>& degradations_ppm,
                                        std::size_t replicates, std::uint64_t seed);

/// From the tolerances under the ends of `choice`'s measured bounds, which must be there, and
/// `found` under its values: the least and the largest of the three.
ToleranceIntervals calibrated_tolerances(const Tolerances& found, const ExecutionGraph& graph,
                                         const ModelChoice& choice);

/// Intervals from the tolerances of several runs of one program; at least two.
ToleranceIntervals intervals_of_runs(const std::vector<Tolerances>& runs);

using ToleranceIntervalsJson = JsonOf<struct ToleranceIntervalsJsonTag>;
const JsonType& declared_type(const ToleranceIntervalsJsonTag*);
/// Adds a table. Returns the same, for an entry of `result.intervals`.
ToleranceIntervalsJson add_intervals(std::vector<Section>& sections,
                                     const ToleranceIntervals& intervals);

}  // namespace slackline
