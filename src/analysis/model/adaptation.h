#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/model/model_choice.h"
#include "analysis/model/sensitivity.h"
#include "report/rows.h"
#include "report/typed_report.h"
#include "trace/trace.h"

namespace slackline {

/// What a run does, as far as the latency may change it.
struct ProgramExtent {
  std::uint64_t messages = 0;  ///< those of collectives included
  std::optional<std::uint64_t> collectives{};
  std::optional<std::size_t> iterations{};  ///< of the longest loop of a timed trace
  double computation_ns = 0;                ///< mean of the ranks
};

/// `trace` may be without calls; `graph` is of its program.
ProgramExtent program_extent(const Trace& trace, const ExecutionGraph& graph);

/// T(L) of traces of one program that were recorded under several latencies. A program that adapts
/// its communication to the latency has a curve of its own for each of them. Source: LLAMP section
/// VI, Figure 12.
struct Adaptation {
  struct Run {
    std::string trace;    ///< the file's path
    double added_ns = 0;  ///< by how much the latency was higher than the model's
    ProgramExtent extent{};
    std::optional<double> measured_ns{};
    Sensitivity curve{};  ///< its interval has the model's latency plus `added_ns` in it

    double recorded_at_ns() const { return curve.base_ns + added_ns; }
    double makespan_ns() const;  ///< T there
  };
  std::vector<Run> runs;  ///< compared with the first one

  /// How much longer the first trace takes at the latency at which `run` was recorded.
  double gain_ns(const Run& run) const;
};

/// T of a piecewise linear function, at a value in its interval.
double makespan_at(const Sensitivity& curve, double value_ns);

/// The least value in their common interval at which `b` differs from `a` by more than `share` of
/// `a`. Empty: nowhere. O(pieces).
std::optional<double> first_difference(const Sensitivity& a, const Sensitivity& b, double share);

/// "messages", "collectives", "iterations", "computation": those of which the runs have different
/// numbers, or times that differ by more than 1 %.
std::vector<std::string> differing(const ProgramExtent& a, const ProgramExtent& b);

extern const Rows<Adaptation> kAdaptation;
using AdaptationJson = JsonBy<kAdaptation>;
/// Result, a sentence for each trace, all curves in one plot, and tables.
Described<AdaptationJson> describe(const Adaptation& adaptation);

}  // namespace slackline
