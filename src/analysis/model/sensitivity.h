#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/model/model_choice.h"
#include "report/rows.h"
#include "report/typed_report.h"
#include "timing/envelope.h"
#include "timing/tolerance.h"

namespace slackline {

/// T over an interval of one parameter, in nanoseconds (of G: ns per byte).
struct Sensitivity {
  struct Piece {
    double from_ns;
    double to_ns;
    std::int64_t lambda;
    double makespan_at_from_ns;
  };

  VariedParameter parameter;
  double base_ns = 0;  ///< the model's own value
  std::vector<Piece> pieces;
  double makespan_at_end_ns = 0;
  bool exact = true;     ///< false: some pieces only, because there are too many
  double gap_ns = 0;     ///< T lies nowhere more than this above the pieces, and never below
  bool stopped = false;  ///< not exact because it was to end early
  std::uint64_t passes = 0;
};

/// All pieces in [from_fs, to_fs], or with less effort the most telling ones.
Sensitivity sensitivity(const ExecutionGraph& graph, const ModelChoice& choice,
                        const VariedParameter& parameter, std::int64_t from_fs, std::int64_t to_fs,
                        std::optional<EnvelopeEffort> effort = {});

/// The same of a function that is ready; `parameter` is the name it is given.
Sensitivity sensitivity(MakespanFunction& makespan, const VariedParameter& parameter,
                        std::int64_t from_fs, std::int64_t to_fs,
                        std::optional<EnvelopeEffort> effort = {});

/// The effort that a plot is worth: all pieces as long as that takes no more than `most_passes`
/// passes nor visits more than `edges` edges; else what no eye can tell from that.
EnvelopeEffort plot_effort(const ExecutionGraph& graph, std::size_t edges, std::size_t most_passes);

extern const Rows<Sensitivity> kSensitivity;
using SensitivityJson = JsonBy<kSensitivity>;
/// Result with all pieces, a table and the plot.
Described<SensitivityJson> describe(const Sensitivity& sensitivity);
/// T, lambda and rho over the parameter, with `zones` marked.
Series sensitivity_series(const Sensitivity& sensitivity, std::vector<Zone> zones);

/// Tolerances of one parameter for several degradations.
struct Tolerances {
  struct Row {
    std::int64_t degradation_ppm;
    double bound_ns;
    std::optional<double> value_ns;  ///< empty: nothing limits it
  };

  VariedParameter parameter;
  double base_ns = 0;
  double makespan_ns = 0;
  std::vector<Row> rows;
  std::uint64_t passes = 0;
};

/// The largest value of the parameter at which T exceeds its value at base by no more than each of
/// the degradations, exact to a femtosecond. A few passes over the reduced graph each.
Tolerances tolerances(const ExecutionGraph& graph, const ModelChoice& choice,
                      const VariedParameter& parameter,
                      const std::vector<std::int64_t>& degradations_ppm);
/// The same of a function that is ready; `parameter` is the name it is given.
Tolerances tolerances(MakespanFunction& makespan, const VariedParameter& parameter,
                      const std::vector<std::int64_t>& degradations_ppm);

extern const Rows<Tolerances> kTolerances;
using TolerancesJson = JsonBy<kTolerances>;
/// Result and a table with a row for each degradation.
Described<TolerancesJson> describe(const Tolerances& tolerances);

// Parts of these results which others use too.
/// `pieces` and `breakpoints_ns`.
extern const Rows<Sensitivity> kLinearPieces;
using PiecesJson = JsonBy<kLinearPieces>;
/// `tolerance`.
extern const Rows<Tolerances> kToleranceRows;
using ToleranceRowsJson = JsonBy<kToleranceRows>;
/// "Latency L may grow from 3 us to 4.6 us (1 % slower), 6.1 us (2 %) and 9.9 us (5 %)." One
/// sentence, and one more for degradations that no value reaches.
std::vector<std::string> tolerance_sentences(const Tolerances& tolerances);
/// The same as stretches of the parameter, the first one from 0 on, for sensitivity_series().
std::vector<Zone> tolerance_zones(const Tolerances& tolerances);

}  // namespace slackline
