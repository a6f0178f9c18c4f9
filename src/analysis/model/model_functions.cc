#include "analysis/model/model_functions.h"

namespace slackline {

ModelFunctions::ModelFunctions(const ExecutionGraph& graph, const ModelChoice& choice)
    : graph_(graph), choice_(choice) {
  if (choice.pairs == nullptr) program_.emplace(graph);
}

MakespanFunction ModelFunctions::of(const VariedParameter& parameter) const {
  if (program_ && parameter.qualifier.empty()) return {*program_, choice_.model, parameter.kind};
  return makespan_function(graph_, choice_, parameter);
}

}  // namespace slackline
