#pragma once

#include <array>
#include <optional>
#include <vector>

#include "advice/hypothesis.h"
#include "analysis/model/model_choice.h"
#include "graph/execution_graph.h"
#include "timing/makespan.h"
#include "trace/samples.h"

namespace slackline {

/// The costs of communication with which an evaluation is repeated: the ends of the 95 % intervals
/// of L, o and G around their values; where they were not measured, half and double the values.
using NetworkRange = std::array<ModelChoice, 3>;
NetworkRange network_range(const ModelChoice& choice);

/// The run time under a model, and what it becomes under hypotheses.
class Evaluator {
 public:
  /// Refers to all of them. `graph` is the program's under `choice`.
  Evaluator(const ProgramView& program, const ExecutionGraph& graph, const ModelChoice& choice);

  /// In ns, of the program as it is.
  double base_ns() const { return base_ns_[1]; }
  /// How many vertices an evaluation looks at, at most: those of the program's graph, or of one of
  /// its own, which may have a few times as many.
  std::size_t most_vertices(const std::vector<Edit>& edits, const ModelVariation& variation) const;
  /// How often the critical path of the program pays for `parameter`, of which all pairs of ranks
  /// have the same.
  std::int64_t on_critical_path(Parameter parameter) const;
  /// How much shorter the run gets, in ns; negative: longer; 0 where the edited program would hang.
  /// Edits of computation take a pass over the calls and one over the graph, others a graph of
  /// their own. Throws Error for edits that cannot be applied, GraphTooLarge
  /// where that graph has more than most_vertices(). Thread-safe.
  double gain_ns(const std::vector<Edit>& edits, const ModelVariation& variation) const;
  /// The same for each of the network_range().
  std::array<double, 3> gains_ns(const std::vector<Edit>& edits,
                                 const ModelVariation& variation) const;

 private:
  /// T over the networks [first, last) of the range.
  std::array<double, 3> makespans(const std::vector<Edit>& edits, const ModelVariation& variation,
                                  std::size_t first, std::size_t last) const;

  std::size_t most_rebuilt() const;
  double unedited_ns(const ModelChoice& choice) const;
  bool fits_femtoseconds(const Trace& edited) const;
  std::array<LogGPS, 3> models(const ModelVariation& variation) const;
  /// On a graph of the edited program's own.
  std::array<double, 3> rebuilt_ns(const Trace& edited, const ModelVariation& variation,
                                   std::size_t first, std::size_t last) const;
  /// On the graph of the program: calls are the same.
  std::array<double, 3> retimed_ns(const Trace& edited, const ModelVariation& variation,
                                   std::size_t first, std::size_t last) const;

  ProgramView program_;
  const ExecutionGraph& graph_;
  NetworkRange networks_;
  std::optional<ReducedProgram> reduced_{};  ///< where all pairs of ranks are alike
  std::vector<std::int32_t> rank_of_{};      ///< by vertex, there
  std::array<double, 3> base_ns_{};
  std::array<double, 3> base_link_ns_{};  ///< the longest delay at a link that T leaves out
};

}  // namespace slackline
