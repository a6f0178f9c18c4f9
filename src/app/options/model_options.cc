#include "app/options/model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/model/model_choice.h"
#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "calibration/machine_file.h"
#include "timing/cost/message_time.h"
#include "timing/cost/model_file.h"
#include "timing/network/node_placement.h"
#include "timing/network/topology_spec.h"

namespace slackline {
namespace {

ModelSettings given_settings(const ModelOptions& options) {
  ModelSettings given;
  if (options.latency) given.latency_fs = parse_time_fs(*options.latency, "latency L");
  if (options.overhead) given.overhead_fs = parse_time_fs(*options.overhead, "overhead o");
  if (options.gap_per_byte) {
    given.gap_per_byte_fs = parse_gap_per_byte_fs(*options.gap_per_byte, "gap per byte G");
  }
  if (options.eager_threshold) {
    given.eager_threshold_bytes = parse_bytes(*options.eager_threshold, "eager threshold S");
  }
  return given;
}

void apply(const ModelSettings& settings, LogGPS& loggps) {
  loggps.latency_fs = settings.latency_fs.value_or(loggps.latency_fs);
  loggps.overhead_fs = settings.overhead_fs.value_or(loggps.overhead_fs);
  loggps.gap_per_byte_fs = settings.gap_per_byte_fs.value_or(loggps.gap_per_byte_fs);
}

void apply(const ModelSettings& settings, ModelChoice& choice) {
  apply(settings, choice.model);
  if (choice.bounds) {
    apply(settings, choice.bounds->low);
    apply(settings, choice.bounds->high);
  }
  std::uint64_t& threshold = choice.graph.eager_threshold_bytes;
  threshold = settings.eager_threshold_bytes.value_or(threshold);
}

/// Measured times in bytes of G, each less what `beside_fs(eager)` says the model has beside them.
/// Pieces that reach over the eager threshold are cut there.
template <class Beside>
TransferCosts costs_of(const std::vector<MeasuredPiece>& pieces, const ModelChoice& machine,
                       Beside beside_fs) {
  const auto gap = static_cast<double>(machine.model.gap_per_byte_fs);
  std::vector<TransferCosts::Piece> costs;
  if (gap <= 0) return {};
  const auto add = [&](std::uint64_t from, const MeasuredPiece& piece) {
    const bool eager = from <= machine.graph.eager_threshold_bytes;
    const double offset_fs = 1e6 * piece.offset_ns - static_cast<double>(beside_fs(eager));
    costs.push_back({from, 1 + offset_fs / gap, 1e6 * piece.slope_ns_per_byte / gap});
  };
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    add(pieces[i].from_bytes, pieces[i]);
    const std::uint64_t longer = machine.graph.eager_threshold_bytes + 1;  // 0: all are eager
    const bool last = i + 1 == pieces.size();
    if (pieces[i].from_bytes < longer && (last || pieces[i + 1].from_bytes > longer)) {
      add(longer, pieces[i]);
    }
  }
  return TransferCosts(std::move(costs));
}

/// All values of the machine take the place of the named network's.
void apply_machine(const std::string& path, Buffers buffers, ModelChoice& choice) {
  const MeasuredMachine machine = read_machine_file(path, buffers);
  apply(machine.settings, choice);
  choice.graph.transfer = costs_of(machine.one_way, choice, [&](bool eager) {
    return message_fs_without_transfer(choice.model, eager, choice.graph.rendezvous);
  });
  choice.graph.link = costs_of(machine.stream, choice, [](bool) { return std::int64_t{0}; });
  choice.bounds = machine.bounds;
  choice.noise_ns = machine.noise_ns;
  choice.machine = fmt::format("{} ({})", path, machine.origin);
  choice.network.clear();
}

constexpr FindingKind kNetworkOfTrace{
    "network_of_trace", Severity::info,
    "All ranks ran on one host: the model's parameters are those of shared memory. (--network, "
    "--machine or single parameters replace them.)"};

bool ran_on_one_host(const Trace& trace) {
  std::string_view host;
  std::int32_t ranks = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankInfo& rank = trace.rank_info(r);
    if (!rank.present) continue;
    if (rank.host.empty() || (ranks > 0 && rank.host != host)) return false;
    host = rank.host;
    ++ranks;
  }
  return ranks > 1;
}

}  // namespace

ModelChoice resolve_model(const ModelOptions& options, const Trace& trace, Findings& findings) {
  if (!options.network_is_open() || !ran_on_one_host(trace)) return resolve_model(options);
  ModelOptions on_host = options;
  on_host.network = kOneHostNetwork;
  findings.add(kNetworkOfTrace);
  return resolve_model(on_host);
}

ModelChoice resolve_model(const ModelOptions& options) {
  const NamedNetwork& network =
      options.network.empty() ? named_networks().front() : find_network(options.network);
  ModelChoice choice{network.model, {}, std::string(network.name)};
  choice.graph.eager_threshold_bytes = network.eager_threshold_bytes;
  if (!options.rendezvous.empty()) choice.graph.rendezvous = parse_rendezvous(options.rendezvous);
  if (!options.machine.empty()) {
    apply_machine(options.machine, parse_buffers(options.buffers), choice);
  } else if (!options.buffers.empty()) {
    throw usage_error("cannot use --buffers", "only a machine's file tells them apart",
                      "Give it with --machine.");
  }
  if (!options.params_file.empty()) apply(read_model_file(options.params_file), choice);
  apply(given_settings(options), choice);
  choice.graph.serial_links = options.occupancy != kNoOccupancy;
  for (const std::string& rules : options.collectives) choice.graph.collectives.add(rules);
  return choice;
}

void refuse_loggops(const LogGOPSOptions& options) {
  if (!options.wanted()) return;
  throw usage_error("cannot compute this with --model loggops",
                    "its run time is not convex, so a search for a value is not exact",
                    "Use 'slackline predict' or 'slackline sensitivity', or omit --model loggops.");
}

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
