#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/build.h"
#include "report/object.h"
#include "report/report.h"
#include "timing/cost/loggps.h"
#include "timing/makespan.h"
#include "timing/model_schedule.h"
#include "timing/network/pair_network.h"

namespace slackline {

/// Everything that a prediction depends on beside the trace.
struct ModelChoice {
  LogGPS model;
  GraphOptions graph;
  std::string network;  ///< name of the preset the values started from; empty if none
  /// L and G by pair of ranks; null: all pairs alike, and `model` holds for all.
  std::shared_ptr<const PairNetwork> pairs{};
  /// File, place and time of the measurement that the values are from; empty if they are not.
  std::string machine{};
  /// 95 % intervals of L, o and G, as far as those were measured: a parameter that was given has
  /// its value at both ends. None: nothing was measured, or it varies by pair of ranks.
  std::optional<ParameterBounds> bounds{};
  /// Noise of messages as it was measured: percentiles, evenly spaced, of what a message takes more
  /// than its cost, in ns. Empty: not measured.
  std::vector<double> noise_ns{};
  /// What computation is: "wall" or "cpu" where that was asked for or makes a difference; else
  /// empty.
  std::string computation{};
};

/// The same with other values of L, o and G.
ModelChoice with_model(ModelChoice choice, const LogGPS& model);

/// T under `choice` as a function of one parameter. Throws usage Error for a parameter that the
/// network has not.
MakespanFunction makespan_function(const ExecutionGraph& graph, const ModelChoice& choice,
                                   const VariedParameter& parameter);

/// Calls use(cost) with the cost of edges as a function of one parameter; `cost` lives until then.
void with_cost(const ExecutionGraph& graph, const ModelChoice& choice,
               const VariedParameter& parameter, const std::function<void(const LinearCost&)>& use);

/// The linear program of T as a function of `parameter` (timing/linear_program.h).
std::string linear_program(const ExecutionGraph& graph, const ModelChoice& choice,
                           const VariedParameter& parameter);

/// The parameter by its full name: plain L is L:wire of a topology and L:inter-node where ranks
/// share nodes, and G likewise.
VariedParameter full_parameter(const ModelChoice& choice, const VariedParameter& parameter);

/// Today's value of a parameter.
std::int64_t base_value_fs(const ExecutionGraph& graph, const ModelChoice& choice,
                           const VariedParameter& parameter);

/// What edges cost under `choice`, in picoseconds. Refers to `graph`.
PicosecondCost picosecond_cost(const ExecutionGraph& graph, const ModelChoice& choice);

/// An eager threshold for a Report: bytes, or "unlimited".
using ThresholdJson = std::variant<std::string, std::uint64_t>;
ThresholdJson threshold_json(std::uint64_t bytes);

using ModelJson = JsonOf<struct ModelJsonTag>;
const JsonType& declared_type(const ModelJsonTag*);
/// The effective options, for a Report: values with units, as the command line reads them.
ModelJson to_json(const ModelChoice& choice);

/// T under one choice as a function of any of its parameters. What the functions of several
/// parameters share is computed once. Refers to `graph` and `choice`. Its functions are
/// thread-safe.
class ModelFunctions {
 public:
  /// Reduces the graph where one reduction serves all parameters: O(vertices + edges).
  ModelFunctions(const ExecutionGraph& graph, const ModelChoice& choice);

  /// As makespan_function(). O(1) where pairs of ranks are all alike.
  MakespanFunction of(const VariedParameter& parameter) const;

  const ExecutionGraph& graph() const { return graph_; }
  const ModelChoice& choice() const { return choice_; }

 private:
  const ExecutionGraph& graph_;
  const ModelChoice& choice_;
  std::optional<ReducedProgram> program_;
};

}  // namespace slackline
