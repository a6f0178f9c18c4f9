// Closed forms for the number of switches and wires between two nodes.
//
// Fat tree: nodes a and b meet in the lowest tier l whose subtrees hold both, that is where
// a / (k/2)^l = b / (k/2)^l; the way up and down passes 2l - 1 switches. Dragonfly: one switch
// under a router, two within a group; between groups the gateways' routers may be others than the
// nodes' own, one more switch at either end. Torus: one switch more than the steps, in each
// dimension the shorter way round.

#include "timing/network/wire_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/error.h"

namespace slackline {
namespace {

constexpr std::size_t kTerminal = 0;
constexpr std::size_t kIntra = 1;
constexpr std::size_t kInter = 2;
constexpr std::int64_t kMostNodes = 1 << 24;

const std::vector<std::string>& grouped_wires() {
  static const std::vector<std::string> names{"terminal", "intra-group", "inter-group"};
  return names;
}

Error impossible(std::string_view what, std::string_view why) {
  return usage_error(fmt::format("cannot build this {}", what), why, "Correct the topology.");
}

void check_nodes(std::string_view what, std::int64_t nodes) {
  if (nodes < 1 || nodes > kMostNodes) {
    throw impossible(what, fmt::format("the number of nodes is not between 1 and {}", kMostNodes));
  }
}

/// a * b, at most a little over kMostNodes: enough to be refused.
std::int64_t capped_product(std::int64_t a, std::int64_t b) {
  return b > 0 && a > kMostNodes / b ? kMostNodes + 1 : a * b;
}

class FatTree final : public WireTopology {
 public:
  FatTree(std::int32_t radix, std::int32_t tiers) : half_(radix / 2), tiers_(tiers) {
    if (radix < 2 || radix % 2 != 0) throw impossible("fat tree", "k must be even and at least 2");
    if (tiers < 1) throw impossible("fat tree", "it needs at least one tier");
    std::int64_t nodes = 2;
    for (std::int32_t t = 0; t < tiers; ++t) {
      if (half_ == 1 && t > 30) break;
      nodes = capped_product(nodes, half_);
    }
    check_nodes("fat tree", nodes);
    nodes_ = static_cast<std::int32_t>(nodes);
  }

  std::int32_t nodes() const override { return nodes_; }
  const std::vector<std::string>& wire_classes() const override { return grouped_wires(); }

  std::int32_t route(std::int32_t a, std::int32_t b, std::span<std::int32_t> wires) const override {
    std::int32_t level = 1;
    for (std::int32_t x = a / half_, y = b / half_; x != y && level < tiers_; ++level) {
      x /= half_;
      y /= half_;
    }
    wires[kTerminal] += 2;
    const std::int32_t climbs = level - 1;
    const bool over_top = level == tiers_ && climbs > 0;
    wires[kIntra] += 2 * (climbs - (over_top ? 1 : 0));
    wires[kInter] += over_top ? 2 : 0;
    return 2 * level - 1;
  }

 private:
  std::int32_t half_;
  std::int32_t tiers_;
  std::int32_t nodes_ = 0;
};

class Dragonfly final : public WireTopology {
 public:
  Dragonfly(std::int32_t groups, std::int32_t routers, std::int32_t hosts, std::int32_t links)
      : groups_(groups), routers_(routers), hosts_(hosts) {
    if (groups < 1 || routers < 1 || hosts < 1 || links < 0) {
      throw impossible("dragonfly", "g, a and p must be at least 1");
    }
    const std::int64_t nodes = capped_product(capped_product(groups, routers), hosts);
    check_nodes("dragonfly", nodes);
    nodes_ = static_cast<std::int32_t>(nodes);
    const std::int32_t others = groups - 1;
    if (links == 0) links = (others + routers - 1) / routers;
    if (std::int64_t{links} * routers < others) {
      throw impossible("dragonfly", fmt::format("a h = {} links of a group do not reach {} others",
                                                std::int64_t{links} * routers, others));
    }
    gateways_.resize(to_index(others));
    for (std::int32_t l = 0; others > 0 && l < links * routers; ++l) {
      gateways_[to_index(l % others)].push_back(l / links);
    }
  }

  std::int32_t nodes() const override { return nodes_; }
  const std::vector<std::string>& wire_classes() const override { return grouped_wires(); }

  std::int32_t route(std::int32_t a, std::int32_t b, std::span<std::int32_t> wires) const override {
    const std::int32_t from = a / hosts_;
    const std::int32_t to = b / hosts_;
    wires[kTerminal] += 2;
    if (from == to) return 1;
    const std::int32_t from_group = from / routers_;
    const std::int32_t to_group = to / routers_;
    if (from_group == to_group) {
      wires[kIntra] += 1;
      return 2;
    }
    const std::int32_t local = local_steps(from_group, from % routers_, to_group, to % routers_);
    wires[kIntra] += local;
    wires[kInter] += 1;
    return 2 + local;
  }

 private:
  static std::size_t to_index(std::int32_t i) { return static_cast<std::size_t>(i); }

  /// Steps inside the two groups: the n-th link from one group to the other is the same wire as the
  /// n-th back.
  std::int32_t local_steps(std::int32_t from_group, std::int32_t from, std::int32_t to_group,
                           std::int32_t to) const {
    const std::int32_t ahead = (to_group - from_group + groups_) % groups_;
    const auto& out = gateways_[to_index(ahead - 1)];
    const auto& back = gateways_[to_index(groups_ - ahead - 1)];
    std::int32_t fewest = 2;
    for (std::size_t n = 0; n < std::min(out.size(), back.size()); ++n) {
      fewest = std::min(fewest, (out[n] != from ? 1 : 0) + (back[n] != to ? 1 : 0));
    }
    return fewest;
  }

  std::int32_t groups_;
  std::int32_t routers_;
  std::int32_t hosts_;
  std::int32_t nodes_ = 0;
  std::vector<std::vector<std::int32_t>> gateways_;  // routers with a link that far ahead
};

class Torus final : public WireTopology {
 public:
  Torus(std::vector<std::int32_t> dimensions, std::int32_t hosts)
      : dimensions_(std::move(dimensions)), hosts_(hosts), names_{"terminal"} {
    if (dimensions_.empty() || hosts < 1) throw impossible("torus", "it needs dimensions");
    std::int64_t nodes = hosts;
    for (const std::int32_t d : dimensions_) {
      if (d < 1) throw impossible("torus", "every dimension must be at least 1");
      nodes = capped_product(nodes, d);
      names_.push_back(fmt::format("dim{}", names_.size()));
    }
    check_nodes("torus", nodes);
    nodes_ = static_cast<std::int32_t>(nodes);
  }

  std::int32_t nodes() const override { return nodes_; }
  const std::vector<std::string>& wire_classes() const override { return names_; }

  std::int32_t route(std::int32_t a, std::int32_t b, std::span<std::int32_t> wires) const override {
    std::int32_t x = a / hosts_;
    std::int32_t y = b / hosts_;
    std::int32_t steps = 0;
    for (std::size_t d = dimensions_.size(); d-- > 0;) {
      const std::int32_t size = dimensions_[d];
      const std::int32_t straight = std::abs(x % size - y % size);
      const std::int32_t shorter = std::min(straight, size - straight);
      wires[d + 1] += shorter;
      steps += shorter;
      x /= size;
      y /= size;
    }
    wires[kTerminal] += 2;
    return steps + 1;
  }

 private:
  std::vector<std::int32_t> dimensions_;
  std::int32_t hosts_;
  std::int32_t nodes_ = 0;
  std::vector<std::string> names_;
};

class Crossbar final : public WireTopology {
 public:
  explicit Crossbar(std::int32_t nodes) : nodes_(nodes) { check_nodes("crossbar", nodes); }

  std::int32_t nodes() const override { return nodes_; }
  const std::vector<std::string>& wire_classes() const override {
    static const std::vector<std::string> names{"terminal"};
    return names;
  }
  std::int32_t route(std::int32_t /*a*/, std::int32_t /*b*/,
                     std::span<std::int32_t> wires) const override {
    wires[kTerminal] += 2;
    return 1;
  }

 private:
  std::int32_t nodes_;
};

class HopMatrix final : public WireTopology {
 public:
  HopMatrix(std::int32_t nodes, std::vector<std::int32_t> switches)
      : nodes_(nodes), switches_(std::move(switches)) {
    const auto n = static_cast<std::size_t>(nodes);
    if (nodes < 1 || switches_.size() != n * n) {
      throw impossible("hop matrix", "it needs as many rows as columns");
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) check(i, j);
    }
  }

  std::int32_t nodes() const override { return nodes_; }
  const std::vector<std::string>& wire_classes() const override {
    static const std::vector<std::string> names{"terminal", "inner"};
    return names;
  }
  std::int32_t route(std::int32_t a, std::int32_t b, std::span<std::int32_t> wires) const override {
    const std::int32_t h = at(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
    wires[0] += 2;
    wires[1] += h - 1;
    return h;
  }

 private:
  std::int32_t at(std::size_t i, std::size_t j) const {
    return switches_[i * static_cast<std::size_t>(nodes_) + j];
  }
  void check(std::size_t i, std::size_t j) const {
    constexpr std::int32_t kMostSwitches = 10'000;
    const std::int32_t h = at(i, j);
    const bool fine = i == j ? h == 0 : h >= 1 && h <= kMostSwitches && h == at(j, i);
    if (fine) return;
    throw impossible(
        "hop matrix",
        fmt::format("the entry of nodes {} and {} is {}; the matrix is symmetric, with "
                    "0 on the diagonal and 1 to {} elsewhere",
                    i, j, h, kMostSwitches));
  }

  std::int32_t nodes_;
  std::vector<std::int32_t> switches_;
};

}  // namespace

std::unique_ptr<WireTopology> make_fat_tree(std::int32_t radix, std::int32_t tiers) {
  return std::make_unique<FatTree>(radix, tiers);
}

std::unique_ptr<WireTopology> make_dragonfly(std::int32_t groups, std::int32_t routers,
                                             std::int32_t hosts, std::int32_t links) {
  return std::make_unique<Dragonfly>(groups, routers, hosts, links);
}

std::unique_ptr<WireTopology> make_torus(std::vector<std::int32_t> dimensions, std::int32_t hosts) {
  return std::make_unique<Torus>(std::move(dimensions), hosts);
}

std::unique_ptr<WireTopology> make_crossbar(std::int32_t nodes) {
  return std::make_unique<Crossbar>(nodes);
}

std::unique_ptr<WireTopology> make_hop_matrix(std::int32_t nodes,
                                              std::vector<std::int32_t> switches) {
  return std::make_unique<HopMatrix>(nodes, std::move(switches));
}

}  // namespace slackline
