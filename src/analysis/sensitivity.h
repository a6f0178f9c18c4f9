#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/model_choice.h"
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
  bool exact = true;  ///< false: sampled, because there are too many pieces
  std::uint64_t passes = 0;
};

/// All pieces in [from_fs, to_fs]; at most `max_passes` passes, then evenly sampled.
Sensitivity sensitivity(const ExecutionGraph& graph, const ModelChoice& choice,
                        const VariedParameter& parameter, std::int64_t from_fs, std::int64_t to_fs,
                        std::optional<std::size_t> max_passes = {});

/// The same of a function that is ready; `parameter` is the name it is given.
Sensitivity sensitivity(MakespanFunction makespan, const VariedParameter& parameter,
                        std::int64_t from_fs, std::int64_t to_fs,
                        std::optional<std::size_t> max_passes = {});

Report describe(const Sensitivity& sensitivity);
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

Tolerances tolerances(const ExecutionGraph& graph, const ModelChoice& choice,
                      const VariedParameter& parameter,
                      const std::vector<std::int64_t>& degradations_ppm);
/// The same of a function that is ready; `parameter` is the name it is given.
Tolerances tolerances(MakespanFunction makespan, const VariedParameter& parameter,
                      const std::vector<std::int64_t>& degradations_ppm);

Report describe(const Tolerances& tolerances);
/// "Latency L may grow from 3 us to 4.6 us (1 % slower), 6.1 us (2 %) and 9.9 us (5 %)." One
/// sentence, and one more for degradations that no value reaches.
std::vector<std::string> tolerance_sentences(const Tolerances& tolerances);
/// The same as stretches of the parameter, the first one from 0 on, for sensitivity_series().
std::vector<Zone> tolerance_zones(const Tolerances& tolerances);

}  // namespace slackline
