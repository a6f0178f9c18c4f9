#include "advice/evaluation.h"

#include <cmath>
#include <functional>

#include "advice/retimed_cost.h"
#include "graph/build.h"
#include "timing/cost/linear_cost.h"
#include "timing/makespan.h"
#include "whatif/scenario.h"

namespace slackline {
namespace {

std::int64_t scaled_fs(std::int64_t fs, double factor) {
  return std::llround(static_cast<double>(fs) * factor);
}

/// Parameters for each pair of ranks have factors in no place; then all stay as they are.
ModelChoice varied(ModelChoice choice, const ModelVariation& variation, double factor) {
  choice.model.latency_fs = scaled_fs(choice.model.latency_fs, factor * variation.latency_factor);
  choice.model.overhead_fs = scaled_fs(choice.model.overhead_fs, factor);
  choice.model.gap_per_byte_fs =
      scaled_fs(choice.model.gap_per_byte_fs, factor * variation.gap_factor);
  return choice;
}

double value_at_base(MakespanFunction t) {
  return t.value_ns(t.line_at(t.base()), t.base());
}

double makespan(const ExecutionGraph& graph, const ModelChoice& choice) {
  return value_at_base(makespan_function(graph, choice, {Parameter::latency}));
}

/// On the graph of the program before the edits.
double retimed_makespan(const ExecutionGraph& graph, const ModelChoice& choice,
                        const Trace& program, const Trace& edited) {
  double result = 0;
  with_cost(graph, choice, {Parameter::latency}, [&](const LinearCost& cost) {
    result = value_at_base(MakespanFunction(graph, RetimedCost(cost, graph, program, edited)));
  });
  return result;
}

GraphOptions varied(GraphOptions options, const ModelVariation& variation) {
  for (const std::string& rule : variation.collectives) options.collectives.add(rule);
  if (variation.eager_threshold_bytes) {
    options.eager_threshold_bytes = *variation.eager_threshold_bytes;
  }
  return options;
}

}  // namespace

Evaluator::Evaluator(const Trace& program, const ExecutionGraph& graph, const ModelChoice& choice)
    : program_(program), graph_(graph), choice_(choice) {
  for (std::size_t i = 0; i < kNetworkFactors.size(); ++i) {
    base_ns_[i] = makespan(graph, varied(choice, {}, kNetworkFactors[i]));
  }
}

std::array<double, 3> Evaluator::makespans(const std::vector<Edit>& edits,
                                           const ModelVariation& variation, std::size_t first,
                                           std::size_t last) const {
  std::array<double, 3> result{};
  const auto for_factors = [&](const std::function<double(const ModelChoice&)>& t) {
    for (std::size_t i = first; i < last; ++i) {
      result[i] = t(varied(choice_, variation, kNetworkFactors[i]));
    }
  };
  const Scenario scenario{.edits = edits};
  if (edits.empty() && !variation.changes_graph()) {
    for_factors([&](const ModelChoice& c) { return makespan(graph_, c); });
    return result;
  }
  if (!variation.changes_graph() && keeps_calls(scenario)) {
    const EditedProgram edited = apply(scenario, program_);
    for_factors(
        [&](const ModelChoice& c) { return retimed_makespan(graph_, c, program_, edited.trace); });
    return result;
  }
  const GraphOptions options = varied(choice_.graph, variation);
  const ExecutionGraph graph = edits.empty()
                                   ? build_graph(program_, options)
                                   : build_graph(apply(scenario, program_).trace, options);
  for_factors([&](const ModelChoice& c) { return makespan(graph, c); });
  return result;
}

std::int64_t Evaluator::on_critical_path(Parameter parameter) const {
  MakespanFunction t = makespan_function(graph_, choice_, {parameter});
  return t.line_at(t.base(), Side::left).slope;
}

double Evaluator::gain_ns(const std::vector<Edit>& edits, const ModelVariation& variation) const {
  return base_ns_[1] - makespans(edits, variation, 1, 2)[1];
}

std::array<double, 3> Evaluator::gains_ns(const std::vector<Edit>& edits,
                                          const ModelVariation& variation) const {
  std::array<double, 3> gains = makespans(edits, variation, 0, kNetworkFactors.size());
  for (std::size_t i = 0; i < gains.size(); ++i) gains[i] = base_ns_[i] - gains[i];
  return gains;
}

}  // namespace slackline
