#include "app/options/network_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "timing/network/node_placement.h"
#include "timing/network/topology_spec.h"

namespace slackline {
namespace {

constexpr std::string_view kIntraNodeNetwork = "shared-memory";

/// L and G of messages within a node: the named network's, and then what is given.
LogGPS intra_node_model(const std::vector<std::string>& settings) {
  LogGPS model = find_network(kIntraNodeNetwork).model;
  for (const std::string& setting : settings) {
    const std::string value = setting.size() > 2 ? setting.substr(2) : "";
    if (setting.starts_with("L=")) {
      model.latency_fs = parse_time_fs(value, "L of --intra-node");
    } else if (setting.starts_with("G=")) {
      model.gap_per_byte_fs = parse_gap_per_byte_fs(value, "G of --intra-node");
    } else {
      throw usage_error(fmt::format("cannot use '{}' as --intra-node", setting),
                        "only L and G can be set", "Example: --intra-node L=600ns,G=0.12ns/B.");
    }
  }
  return model;
}

std::optional<PairMatrix> read_matrix(const std::string& file, Parameter parameter) {
  if (file.empty()) return std::nullopt;
  return parse_pair_matrix(MappedFile(file).text(), file, parameter);
}

RouteTable routes_of_matrices(const NetworkOptions& options, const LogGPS& intra_node,
                              const LogGPS& model, std::int32_t nodes) {
  const auto latency = read_matrix(options.latency_matrix, Parameter::latency);
  const auto gap = read_matrix(options.gap_matrix, Parameter::gap_per_byte);
  if (latency && gap && latency->nodes != gap->nodes) {
    throw usage_error("cannot use both matrices",
                      fmt::format("'{}' is of {} nodes, '{}' of {}", options.latency_matrix,
                                  latency->nodes, options.gap_matrix, gap->nodes),
                      "Give both matrices for the same nodes.");
  }
  RouteTable routes = RouteTable::of_matrices(latency ? &*latency : nullptr, gap ? &*gap : nullptr,
                                              intra_node, model);
  if (nodes > routes.nodes()) {
    throw usage_error(fmt::format("the job needs {} nodes", nodes),
                      fmt::format("the matrix has {}", routes.nodes()),
                      "Give the number of ranks per node (--ranks-per-node), or a larger matrix.");
  }
  return routes;
}

}  // namespace

NodePlacement resolve_placement(const NetworkOptions& options, std::int32_t ranks) {
  const std::int32_t ranks_per_node = std::max(1, options.ranks_per_node);
  std::vector<std::string> hosts;
  if (!options.hosts.empty()) hosts = parse_hosts(MappedFile(options.hosts).text());
  if (options.placement.empty() || options.placement == "block") {
    return {block_placement(ranks, ranks_per_node), hosts};
  }
  if (options.placement == "cyclic") return {cyclic_placement(ranks, ranks_per_node), hosts};
  const MappedFile file(options.placement);
  return parse_placement(file.text(), options.placement, ranks, hosts);
}

std::shared_ptr<const PairNetwork> resolve_network(const NetworkOptions& options,
                                                   const LogGPS& model, std::int32_t ranks) {
  if (!options.given()) return nullptr;
  const LogGPS intra_node = intra_node_model(options.intra_node);
  const NodePlacement placement = resolve_placement(options, ranks);
  auto network = std::make_shared<PairNetwork>();
  network->node_of_rank = placement.node_of_rank;
  const std::int32_t nodes = std::max(1 + *std::ranges::max_element(network->node_of_rank),
                                      static_cast<std::int32_t>(placement.host_names.size()));
  if (options.has_matrix()) {
    const bool both = !options.latency_matrix.empty() && !options.gap_matrix.empty();
    network->description =
        fmt::format("matrix:{}{}{}", options.latency_matrix, both ? "," : "", options.gap_matrix);
    network->routes =
        std::make_shared<RouteTable>(routes_of_matrices(options, intra_node, model, nodes));
    return network;
  }
  if (options.topology.empty()) {
    network->routes = std::make_shared<RouteTable>(RouteTable::flat(intra_node, model));
    return network;
  }
  const TopologySpec spec = read_topology(options.topology);
  network->description = spec.description;
  network->routes = std::make_shared<RouteTable>(RouteTable::of_topology(
      *spec.topology, nodes, spec.wire_fs, spec.switch_fs, intra_node, model.gap_per_byte_fs));
  return network;
}

}  // namespace slackline
