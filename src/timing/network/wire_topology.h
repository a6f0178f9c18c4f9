#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace slackline {

/// How a network is wired, as far as latency goes: the switches and the wires between two nodes,
/// by minimal routing and without contention. A message over h switches crosses h + 1 wires.
/// Source: LLAMP section IV-2 and appendix H (wire classes).
class WireTopology {
 public:
  virtual ~WireTopology() = default;

  virtual std::int32_t nodes() const = 0;
  /// Names of the kinds of wires; the first is `terminal`, between a node and its switch.
  virtual const std::vector<std::string>& wire_classes() const = 0;
  /// The switches between nodes a != b; adds the wires, by class, to `wires`.
  virtual std::int32_t route(std::int32_t a, std::int32_t b,
                             std::span<std::int32_t> wires) const = 0;

 protected:
  WireTopology() = default;
  WireTopology(const WireTopology&) = default;
  WireTopology& operator=(const WireTopology&) = default;
};

/// Folded Clos of switches with `radix` ports: half of them down, all in the top tier.
/// 2 (radix/2)^tiers nodes. Wires: terminal, intra-group (below the top tier), inter-group (to the
/// top tier). Throws usage Error for an odd radix or too large a tree, as the others do for shapes
/// that cannot be.
std::unique_ptr<WireTopology> make_fat_tree(std::int32_t radix, std::int32_t tiers);

/// `groups` groups of `routers` routers (a), fully connected inside, with `hosts` nodes (p) each
/// and `links` (h) wires to other groups; `links` 0: as few as connect every pair of groups. Link l
/// of group i (router l / h) leads to group (i + 1 + l mod (groups - 1)) mod groups. Of several
/// links to a group the one with the fewest switches is taken. Wires: terminal, intra-group,
/// inter-group. Source: Kim, Dally, Scott, Abts 2008.
std::unique_ptr<WireTopology> make_dragonfly(std::int32_t groups, std::int32_t routers,
                                             std::int32_t hosts, std::int32_t links);

/// One switch at each point of a grid whose ends meet, `hosts` nodes at each. Wires: terminal,
/// dim1, dim2, ... The last dimension varies fastest with the node's number.
std::unique_ptr<WireTopology> make_torus(std::vector<std::int32_t> dimensions, std::int32_t hosts);

/// One switch for all. Wires: terminal.
std::unique_ptr<WireTopology> make_crossbar(std::int32_t nodes);

/// Any network, by the number of switches between its nodes: nodes x nodes, row by row, symmetric,
/// 0 on the diagonal, at least 1 elsewhere. Wires: terminal (two), inner (the others).
std::unique_ptr<WireTopology> make_hop_matrix(std::int32_t nodes,
                                              std::vector<std::int32_t> switches);

}  // namespace slackline
