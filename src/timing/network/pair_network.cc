#include "timing/network/pair_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "base/sentences.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::int32_t kMostPairNodes = 16'384;

/// What may be said of a parameter behind its colon.
std::string qualifiers(const std::vector<CostClass>& classes, bool wires) {
  std::vector<std::string> names;
  for (const CostClass& c : classes) names.push_back(c.name);
  if (wires) names.emplace_back("wire (all)");
  names.emplace_back("added");
  return enumeration(names);
}

/// "[3][7]".
std::optional<std::pair<std::int32_t, std::int32_t>> parse_pair(std::string_view text) {
  std::pair<std::int32_t, std::int32_t> pair;
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::int32_t* rank : {&pair.first, &pair.second}) {
    if (at == end || *at++ != '[') return std::nullopt;
    const auto [rest, error] = std::from_chars(at, end, *rank);
    if (error != std::errc{} || rest == end || *rest != ']') return std::nullopt;
    at = rest + 1;
  }
  if (at != end) return std::nullopt;
  return pair;
}

/// Classes by name, or by "wire" (all of them).
std::vector<bool> chosen_classes(const VariedParameter& parameter,
                                 const std::vector<CostClass>& classes, bool topology) {
  const bool wires =
      parameter.kind == Parameter::latency && topology && parameter.qualifier == "wire";
  std::vector<bool> chosen;
  for (const CostClass& c : classes) {
    chosen.push_back(wires ? c.wire : c.name == parameter.qualifier);
  }
  if (std::ranges::find(chosen, true) == chosen.end()) {
    throw usage_error(
        fmt::format("unknown parameter {}", parameter.name()),
        "this network has " + qualifiers(classes, topology && parameter.kind == Parameter::latency),
        fmt::format("Example: {}:{}.", symbol(parameter.kind),
                    classes.empty() ? "added" : classes.back().name));
  }
  return chosen;
}

/// The value that all of the chosen have.
std::int64_t common_base(const VariedParameter& parameter, const std::vector<CostClass>& classes,
                         const std::vector<bool>& chosen) {
  const CostClass* first = nullptr;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (!chosen[i]) continue;
    if (first == nullptr) first = &classes[i];
    if (classes[i].base_fs == first->base_fs) continue;
    throw usage_error(
        fmt::format("{} cannot vary", parameter.name()),
        fmt::format("its parts have different values: {} is {}, {} is {}", first->name,
                    format_time_ns(static_cast<double>(first->base_fs) / 1e6), classes[i].name,
                    format_time_ns(static_cast<double>(classes[i].base_fs) / 1e6)),
        fmt::format("Choose one, for example {}:{}.", symbol(parameter.kind), first->name));
  }
  return first->base_fs;
}

PairParameter resolve_pair(const VariedParameter& parameter, const PairNetwork& network) {
  const auto pair = parse_pair(parameter.qualifier);
  expects(pair.has_value(), "the syntax of a pair is [3][7]");
  const auto ranks = static_cast<std::int32_t>(network.node_of_rank.size());
  const auto [from, to] = *pair;
  if (from < 0 || to < 0 || from >= ranks || to >= ranks || from == to) {
    throw usage_error(fmt::format("cannot vary {}", parameter.name()),
                      fmt::format("there are ranks 0 to {}", ranks - 1), "Choose two of them.");
  }
  const std::size_t kind = network.kind(from, to);
  return {.kind = parameter.kind,
          .classes = {},
          .from_rank = from,
          .to_rank = to,
          .base_fs = parameter.kind == Parameter::latency ? network.routes->latency_fs(kind)
                                                          : network.routes->gap_fs(kind)};
}

}  // namespace

std::string VariedParameter::name() const {
  std::string letter(symbol(kind));
  if (qualifier.empty()) return letter;
  return qualifier.front() == '[' ? letter + qualifier : letter + ":" + qualifier;
}

VariedParameter parse_varied_parameter(std::string_view text) {
  const std::size_t at = text.find_first_of(":[");
  if (at == std::string_view::npos) return parse_parameter(text);
  const bool pair = text[at] == '[';
  VariedParameter result(parse_parameter(text.substr(0, at)),
                         std::string(text.substr(pair ? at : at + 1)));
  if (result.kind == Parameter::overhead || result.qualifier.empty() ||
      (pair && !parse_pair(result.qualifier))) {
    throw usage_error(fmt::format("unknown parameter '{}'", text),
                      "L and G accept a link class or a pair of ranks",
                      "Examples: L:inter-node, L:inter-group or L[3][7].");
  }
  return result;
}

std::int64_t RouteTable::latency_fs(std::size_t kind) const {
  std::int64_t sum = kinds_[kind].own_latency_fs;
  for (std::size_t c = 0; c < latency_classes_.size(); ++c) {
    sum += kinds_[kind].latency_counts[c] * latency_classes_[c].base_fs;
  }
  return sum;
}

RouteTable RouteTable::flat(const LogGPS& intra_node, const LogGPS& inter_node) {
  RouteTable t;
  t.latency_classes_ = {{"intra-node", intra_node.latency_fs},
                        {"inter-node", inter_node.latency_fs}};
  t.gap_classes_ = {{"intra-node", intra_node.gap_per_byte_fs},
                    {"inter-node", inter_node.gap_per_byte_fs}};
  t.kinds_ = {{{1, 0}, 0}, {{0, 1}, 1}};
  t.nodes_ = std::numeric_limits<std::int32_t>::max();
  return t;
}

RouteTable RouteTable::of_topology(const WireTopology& topology, std::int32_t nodes,
                                   const std::vector<std::int64_t>& wire_fs, std::int64_t switch_fs,
                                   const LogGPS& intra_node, std::int64_t inter_node_gap_fs) {
  if (nodes > topology.nodes() || nodes > kMostPairNodes) {
    throw usage_error(fmt::format("the job needs {} nodes", nodes),
                      fmt::format("this topology has {} hosts; the maximum is {}", topology.nodes(),
                                  kMostPairNodes),
                      "Increase --ranks-per-node or use a larger topology.");
  }
  const std::vector<std::string>& wires = topology.wire_classes();
  expects(wire_fs.size() == wires.size(), "every class of wires has a latency");
  RouteTable t;
  for (std::size_t c = 0; c < wires.size(); ++c) {
    t.latency_classes_.push_back({wires[c], wire_fs[c], true});
  }
  t.latency_classes_.push_back({"switch", switch_fs});
  t.latency_classes_.push_back({"intra-node", intra_node.latency_fs});
  t.gap_classes_ = {{"intra-node", intra_node.gap_per_byte_fs}, {"inter-node", inter_node_gap_fs}};
  t.nodes_ = nodes;
  const std::size_t n = wires.size();
  std::vector<std::int32_t> counts(n + 2, 0);
  counts[n + 1] = 1;
  t.kinds_.push_back({counts, 0});
  std::map<std::vector<std::int32_t>, std::uint32_t> known;
  const auto size = static_cast<std::size_t>(nodes);
  t.kind_of_.resize(size * size);
  for (std::int32_t a = 0; a < nodes; ++a) {
    for (std::int32_t b = 0; b < nodes; ++b) {
      if (a == b) continue;
      std::ranges::fill(counts, 0);
      counts[n] = topology.route(a, b, std::span(counts).first(n));
      const auto [found, is_new] =
          known.try_emplace(counts, static_cast<std::uint32_t>(t.kinds_.size()));
      if (is_new) t.kinds_.push_back({counts, 1});
      t.kind_of_[static_cast<std::size_t>(a) * size + static_cast<std::size_t>(b)] = found->second;
    }
  }
  return t;
}

RouteTable RouteTable::of_matrices(const PairMatrix* latency, const PairMatrix* gap,
                                   const LogGPS& intra_node, const LogGPS& inter_node) {
  expects(latency != nullptr || gap != nullptr, "a matrix is given");
  const std::int32_t nodes = (latency != nullptr ? latency : gap)->nodes;
  expects(latency == nullptr || gap == nullptr || latency->nodes == gap->nodes, "of one size");
  if (nodes > kMostPairNodes) {
    throw usage_error(fmt::format("the matrix has {} nodes", nodes),
                      fmt::format("the maximum is {}", kMostPairNodes),
                      "Use a topology (--topology) for larger networks.");
  }
  RouteTable t = flat(intra_node, inter_node);
  if (latency != nullptr) t.latency_classes_.clear();
  if (gap != nullptr) t.gap_classes_.clear();
  RouteKind within = t.kinds_[0];
  RouteKind between = t.kinds_[1];
  for (RouteKind* kind : {&within, &between}) {
    if (latency != nullptr) kind->latency_counts.clear();
    if (gap != nullptr) kind->gap_class.reset();
  }
  if (latency != nullptr) within.own_latency_fs = intra_node.latency_fs;
  if (gap != nullptr) within.own_gap_fs = intra_node.gap_per_byte_fs;
  t.kinds_ = {within};
  t.nodes_ = nodes;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> known;
  const auto size = static_cast<std::size_t>(nodes);
  t.kind_of_.resize(size * size);
  for (std::int32_t a = 0; a < nodes; ++a) {
    for (std::int32_t b = 0; b < nodes; ++b) {
      if (a == b) continue;
      if (latency != nullptr) between.own_latency_fs = latency->at(a, b);
      if (gap != nullptr) between.own_gap_fs = gap->at(a, b);
      const auto [found, is_new] = known.try_emplace({between.own_latency_fs, between.own_gap_fs},
                                                     static_cast<std::uint32_t>(t.kinds_.size()));
      if (is_new) t.kinds_.push_back(between);
      t.kind_of_[static_cast<std::size_t>(a) * size + static_cast<std::size_t>(b)] = found->second;
    }
  }
  return t;
}

std::string_view RouteTable::own_qualifier(Parameter parameter) const {
  if (parameter == Parameter::latency && has_topology()) return "wire";
  const bool by_matrix =
      parameter == Parameter::latency ? latency_classes_.empty() : gap_classes_.empty();
  return by_matrix ? "added" : "inter-node";
}

PairParameter resolve(const VariedParameter& parameter, const PairNetwork& network,
                      const LogGPS& model) {
  if (parameter.kind == Parameter::overhead) {
    return {.kind = Parameter::overhead, .classes = {}, .base_fs = model.overhead_fs};
  }
  if (parameter.qualifier.empty()) {
    const std::string_view own = network.routes->own_qualifier(parameter.kind);
    return resolve({parameter.kind, std::string(own)}, network, model);
  }
  if (parameter.qualifier.front() == '[') {
    return resolve_pair(parameter, network);
  }
  if (parameter.qualifier == "added") {
    return {.kind = parameter.kind, .classes = {}, .added = true};
  }
  const std::vector<CostClass>& classes = parameter.kind == Parameter::latency
                                              ? network.routes->latency_classes()
                                              : network.routes->gap_classes();
  PairParameter result{.kind = parameter.kind, .classes = {}};
  result.classes = chosen_classes(parameter, classes, network.routes->has_topology());
  result.base_fs = common_base(parameter, classes, result.classes);
  return result;
}

PairNetwork uniform_network(const LogGPS& model, std::int32_t ranks) {
  PairNetwork network{std::make_shared<RouteTable>(RouteTable::flat(model, model)), {}, {}};
  network.node_of_rank.resize(static_cast<std::size_t>(ranks));
  std::iota(network.node_of_rank.begin(), network.node_of_rank.end(), 0);
  return network;
}

}  // namespace slackline
