#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/model/model_choice.h"
#include "report/rows.h"
#include "report/typed_report.h"
#include "trace/trace.h"

namespace slackline {

/// T as a distribution over one parameter: runs like the recorded one, whose computation is drawn
/// anew from the trace's own (ResampledComputation) and whose messages take longer or shorter as
/// the machine's noise says (ModelChoice::noise_ns). Source: LLAMP section VI, future work.
struct RunDistribution {
  static constexpr std::array<double, 3> kQuantiles{0.05, 0.5, 0.95};

  /// At one value of the parameter.
  struct Point {
    double value_ns = 0;
    std::array<double, kQuantiles.size()> makespan_ns{};  ///< of T, by kQuantiles
    std::vector<double> exceeding{};                      ///< P(T > bound), by `tolerances`
  };
  struct Tolerance {
    std::int64_t degradation_ppm;
    double bound_ns;           ///< T of the trace at the base, and so much more
    double exceeding_at_base;  ///< P(T > bound) there
    /// The largest value of the parameter at which T keeps to the bound with a probability of 95 %.
    /// Infinite: unlimited; negative: there is none.
    double value_ns;
  };

  VariedParameter parameter{};
  double base_ns = 0;
  double makespan_ns = 0;  ///< of the trace at the base, without noise
  std::size_t samples = 0;
  bool noise = false;  ///< messages vary, too
  std::vector<Point> points{};
  std::vector<Tolerance> tolerances{};
};

/// At eleven values in [from_fs, to_fs] and at the base; deterministic for a seed. Eight samples
/// share one reduction of the graph and its passes: twelve, and some five a degradation. On all
/// threads, with the memory of a reduction and 64 bytes a vertex each.
RunDistribution run_distribution(const Trace& trace, const ExecutionGraph& graph,
                                 const ModelChoice& choice, const VariedParameter& parameter,
                                 std::int64_t from_fs, std::int64_t to_fs,
                                 const std::vector<std::int64_t>& degradations_ppm,
                                 std::size_t samples, std::uint64_t seed);

extern const Rows<RunDistribution> kRunDistribution;
using RunDistributionJson = JsonBy<kRunDistribution>;
/// Result, the band and the probabilities in one plot, and tables.
Described<RunDistributionJson> describe(const RunDistribution& distribution);

}  // namespace slackline
