#include "analysis/model/model_choice.h"

#include <limits>

#include "base/units.h"
#include "timing/network/pair_cost.h"

namespace slackline {
namespace {

Json network_to_json(const PairNetwork& pairs) {
  Json json;
  json["topology"] = pairs.description.empty() ? Json(nullptr) : Json(pairs.description);
  for (const CostClass& c : pairs.routes->latency_classes()) {
    json["latency_ns"][c.name] = ns_of_fs(c.base_fs);
  }
  for (const CostClass& c : pairs.routes->gap_classes()) {
    json["gap_ns_per_byte"][c.name] = ns_of_fs(c.base_fs);
  }
  return json;
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

VariedParameter full_parameter(const ModelChoice& choice, const VariedParameter& parameter) {
  const bool network = parameter.kind != Parameter::overhead;
  if (!network || choice.pairs == nullptr || !parameter.qualifier.empty()) return parameter;
  const bool wires = parameter.kind == Parameter::latency && choice.pairs->routes->has_topology();
  return {parameter.kind, wires ? "wire" : "inter-node"};
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

Json to_json(const ModelChoice& choice) {
  Json json;
  json["model"] = "loggps-dag";
  json["network"] = choice.network.empty() ? Json(nullptr) : Json(choice.network);
  if (!choice.machine.empty()) json["machine"] = choice.machine;
  json["L_ns"] = ns_of_fs(choice.model.latency_fs);
  json["o_ns"] = ns_of_fs(choice.model.overhead_fs);
  json["G_ns_per_byte"] = ns_of_fs(choice.model.gap_per_byte_fs);
  const std::uint64_t threshold = choice.graph.eager_threshold_bytes;
  json["S_bytes"] =
      threshold == std::numeric_limits<std::uint64_t>::max() ? Json("unlimited") : Json(threshold);
  json["rendezvous"] = to_string(choice.graph.rendezvous);
  json["collectives"] = choice.graph.collectives.to_string();
  if (!choice.computation.empty()) json["computation"] = choice.computation;
  if (choice.pairs != nullptr) json["pairs_of_ranks"] = network_to_json(*choice.pairs);
  return json;
}

}  // namespace slackline
