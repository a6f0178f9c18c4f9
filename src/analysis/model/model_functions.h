#pragma once

#include <optional>

#include "analysis/model/model_choice.h"

namespace slackline {

/// T under one choice as a function of any of its parameters, for whoever asks about several: what
/// they share is worked out once. Refers to `graph` and `choice`. Its functions are thread-safe.
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
