#include "analysis/model/model_choice.h"

#include <limits>

#include "base/units.h"
#include "timing/linear_program.h"
#include "timing/network/pair_cost.h"

namespace slackline {
namespace {

JsonMap<double> class_values(const std::vector<CostClass>& classes) {
  JsonMap<double> values;
  for (const CostClass& c : classes) values.add(c.name, ns_of_fs(c.base_fs));
  return values;
}

auto network_object(const PairNetwork& pairs) {
  return Object{"topology"_key = known_text(pairs.description),
                "latency_ns"_key = class_values(pairs.routes->latency_classes()),
                "gap_ns_per_byte"_key = class_values(pairs.routes->gap_classes())};
}

auto model_object(const ModelChoice& choice) {
  return Object{"model"_key = "loggps-dag",
                "network"_key = known_text(choice.network),
                "machine"_key.when(known_text(choice.machine)),
                "L_ns"_key = ns_of_fs(choice.model.latency_fs),
                "o_ns"_key = ns_of_fs(choice.model.overhead_fs),
                "G_ns_per_byte"_key = ns_of_fs(choice.model.gap_per_byte_fs),
                "S_bytes"_key = threshold_json(choice.graph.eager_threshold_bytes),
                "rendezvous"_key = to_string(choice.graph.rendezvous),
                "occupancy"_key = choice.graph.serial_links ? "links" : "none",
                "collectives"_key = choice.graph.collectives.to_string(),
                "computation"_key.when(known_text(choice.computation)),
                "pairs_of_ranks"_key.when(optional_of(choice.pairs, network_object))};
}

bool is_plain(const ModelChoice& choice, const VariedParameter& parameter) {
  return choice.pairs == nullptr && parameter.qualifier.empty();
}

std::shared_ptr<const PairNetwork> network_of(const ExecutionGraph& graph,
                                              const ModelChoice& choice) {
  if (choice.pairs != nullptr) return choice.pairs;
  return std::make_shared<PairNetwork>(uniform_network(choice.model, graph.ranks()));
}

}  // namespace

ModelChoice with_model(ModelChoice choice, const LogGPS& model) {
  choice.model = model;
  return choice;
}

MakespanFunction makespan_function(const ExecutionGraph& graph, const ModelChoice& choice,
                                   const VariedParameter& parameter) {
  if (is_plain(choice, parameter)) return {graph, choice.model, parameter.kind};
  const auto network = network_of(graph, choice);
  return {graph,
          PairCost(graph, choice.model, *network, resolve(parameter, *network, choice.model))};
}

void with_cost(const ExecutionGraph& graph, const ModelChoice& choice,
               const VariedParameter& parameter,
               const std::function<void(const LinearCost&)>& use) {
  if (is_plain(choice, parameter)) {
    use(LogGPSCost(choice.model, parameter.kind));
    return;
  }
  const auto network = network_of(graph, choice);
  use(PairCost(graph, choice.model, *network, resolve(parameter, *network, choice.model)));
}

std::string linear_program(const ExecutionGraph& graph, const ModelChoice& choice,
                           const VariedParameter& parameter) {
  std::string program;
  with_cost(graph, choice, parameter, [&](const LinearCost& cost) {
    program = linear_program(graph, cost, full_parameter(choice, parameter).name());
  });
  return program;
}

VariedParameter full_parameter(const ModelChoice& choice, const VariedParameter& parameter) {
  const bool network = parameter.kind != Parameter::overhead;
  if (!network || choice.pairs == nullptr || !parameter.qualifier.empty()) return parameter;
  return {parameter.kind, std::string(choice.pairs->routes->own_qualifier(parameter.kind))};
}

std::int64_t base_value_fs(const ExecutionGraph& graph, const ModelChoice& choice,
                           const VariedParameter& parameter) {
  if (is_plain(choice, parameter)) return value_fs(choice.model, parameter.kind);
  return resolve(parameter, *network_of(graph, choice), choice.model).base_fs;
}

PicosecondCost picosecond_cost(const ExecutionGraph& graph, const ModelChoice& choice) {
  return choice.pairs == nullptr ? PicosecondCost(choice.model)
                                 : PicosecondCost(graph, choice.model, choice.pairs);
}

ThresholdJson threshold_json(std::uint64_t bytes) {
  if (bytes == std::numeric_limits<std::uint64_t>::max()) return "unlimited";
  return bytes;
}

const JsonType& declared_type(const ModelJsonTag*) {
  return json_type_by<model_object>();
}

ModelJson to_json(const ModelChoice& choice) {
  return model_object(choice);
}

ModelFunctions::ModelFunctions(const ExecutionGraph& graph, const ModelChoice& choice)
    : graph_(graph), choice_(choice) {
  if (choice.pairs == nullptr) program_.emplace(graph);
}

MakespanFunction ModelFunctions::of(const VariedParameter& parameter) const {
  if (program_ && parameter.qualifier.empty()) return {*program_, choice_.model, parameter.kind};
  return makespan_function(graph_, choice_, parameter);
}

}  // namespace slackline
