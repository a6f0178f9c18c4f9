#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "timing/cost/loggps.h"
#include "timing/network/wire_topology.h"

namespace slackline {

/// L or G of the messages between any two nodes; the two directions may differ. Source: LLAMP
/// appendix I.
struct PairMatrix {
  std::int32_t nodes = 0;
  std::vector<std::int64_t> values_fs;  ///< row by row, a row for each sender; fs or fs per byte

  std::int64_t at(std::int32_t from, std::int32_t to) const {
    return values_fs[static_cast<std::size_t>(from) * static_cast<std::size_t>(nodes) +
                     static_cast<std::size_t>(to)];
  }
};

/// Reads CSV: a row for each sending node, in it a value with its unit for each receiving one
/// ("1.3us"; of G "0.05ns/B" or "100Gb/s"). The diagonal is not read. Blank lines and # comments
/// are skipped. `name` is the file's, for messages. Throws Error with the line and column.
PairMatrix parse_pair_matrix(std::string_view text, const std::string& name, Parameter parameter);

/// A latency, or a gap per byte, that many pairs of nodes share: a kind of wire, a switch, messages
/// within a node.
struct CostClass {
  std::string name;
  std::int64_t base_fs = 0;
  bool wire = false;  ///< one of a topology's wires
};

/// What a message between two nodes pays: a number of each latency class, and one gap class; and
/// what belongs to no class, as matrices give it.
struct RouteKind {
  std::vector<std::int32_t> latency_counts;
  std::optional<std::size_t> gap_class{};
  std::int64_t own_latency_fs = 0;
  std::int64_t own_gap_fs = 0;
  bool operator==(const RouteKind&) const = default;
};

/// What all pairs of nodes pay. Kinds of routes, few but for matrices, and for each pair of nodes
/// which one it is: four bytes a pair. Immutable.
class RouteTable {
 public:
  /// Messages within a node and between nodes; classes intra-node and inter-node.
  static RouteTable flat(const LogGPS& intra_node, const LogGPS& inter_node);

  /// A topology's first `nodes` nodes. Latency classes: its wires, switch, intra-node; gap classes:
  /// intra-node and inter-node. `wire_fs` by class of wires. O(nodes^2); throws usage Error when
  /// the topology has fewer nodes, or for more than 16,384.
  static RouteTable of_topology(const WireTopology& topology, std::int32_t nodes,
                                const std::vector<std::int64_t>& wire_fs, std::int64_t switch_fs,
                                const LogGPS& intra_node, std::int64_t inter_node_gap_fs);

  /// L, G or both of each pair of nodes by matrices of the same size; where one is null, L or G are
  /// those of a flat network, with its classes. Throws usage Error for more than 16,384 nodes.
  static RouteTable of_matrices(const PairMatrix* latency, const PairMatrix* gap,
                                const LogGPS& intra_node, const LogGPS& inter_node);

  const std::vector<CostClass>& latency_classes() const { return latency_classes_; }
  const std::vector<CostClass>& gap_classes() const { return gap_classes_; }
  const std::vector<RouteKind>& kinds() const { return kinds_; }
  bool has_topology() const { return !latency_classes_.empty() && latency_classes_.front().wire; }
  /// Messages that varying the parameter, where nothing else is said, speaks of: VariedParameter's
  /// qualifier.
  std::string_view own_qualifier(Parameter parameter) const;
  /// Nodes that have routes; of a flat network there is no end of them.
  std::int32_t nodes() const { return nodes_; }

  std::size_t kind(std::int32_t a, std::int32_t b) const {
    if (a == b) return 0;
    return kind_of_.empty()
               ? 1
               : kind_of_[static_cast<std::size_t>(a) * static_cast<std::size_t>(nodes_) +
                          static_cast<std::size_t>(b)];
  }
  std::int64_t latency_fs(std::size_t kind) const;
  std::int64_t gap_fs(std::size_t kind) const {
    const RouteKind& route = kinds_[kind];
    return route.own_gap_fs + (route.gap_class ? gap_classes_[*route.gap_class].base_fs : 0);
  }

 private:
  RouteTable() = default;

  std::vector<CostClass> latency_classes_;
  std::vector<CostClass> gap_classes_;
  std::vector<RouteKind> kinds_;  // 0: within a node
  std::int32_t nodes_ = 0;
  std::vector<std::uint32_t> kind_of_;
};

/// HLogGP: L and G depend on the pair of ranks, by the nodes that they run on. Source: LLAMP
/// appendix I; Bosque and Perez 2004.
struct PairNetwork {
  std::shared_ptr<const RouteTable> routes;
  std::vector<std::int32_t> node_of_rank;
  std::string description;  ///< "dragonfly:g=8,a=4,p=8", "matrix:L.csv"

  std::size_t kind(std::int32_t from_rank, std::int32_t to_rank) const {
    return routes->kind(node_of_rank[static_cast<std::size_t>(from_rank)],
                        node_of_rank[static_cast<std::size_t>(to_rank)]);
  }
};

/// A parameter that may vary: L, o or G, of all messages or of some. Implicit from Parameter.
struct VariedParameter {
  Parameter kind = Parameter::latency;
  /// Which messages it is of: empty (the network's own: inter-node ones, all wires of a topology,
  /// "added" of a matrix), a class ("inter-group"), "wire" (all wires), a pair of ranks, as
  /// "[3][7]", or "added": what every message pays on top of today's.
  std::string qualifier{};

  VariedParameter() = default;
  VariedParameter(Parameter parameter) : kind(parameter) {}  // NOLINT(google-explicit-constructor)
  VariedParameter(Parameter parameter, std::string of)
      : kind(parameter), qualifier(std::move(of)) {}
  /// "L", "L:inter-group", "L[3][7]".
  std::string name() const;
  bool operator==(const VariedParameter&) const = default;
};

/// Reads what name() gives. Throws usage Error.
VariedParameter parse_varied_parameter(std::string_view text);

/// A VariedParameter in terms of one network's classes.
struct PairParameter {
  Parameter kind = Parameter::latency;
  std::vector<bool> classes;    ///< those that vary; latency or gap classes by `kind`
  bool added = false;           ///< or what all messages pay on top
  std::int32_t from_rank = -1;  ///< or the pair that varies
  std::int32_t to_rank = -1;
  std::int64_t base_fs = 0;  ///< today's value

  bool is_pair() const { return from_rank >= 0; }
};

/// Throws usage Error for unknown classes (with the list), ranks that do not exist, and classes
/// that cannot vary together because their values differ today.
PairParameter resolve(const VariedParameter& parameter, const PairNetwork& network,
                      const LogGPS& model);

/// All pairs alike: what LogGPS is in terms of pairs.
PairNetwork uniform_network(const LogGPS& model, std::int32_t ranks);

}  // namespace slackline
