#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timing/reduction/attributed_graph.h"

namespace slackline {

class CostChains;

/// Cost of a chain of edges with its parts by owner, for Contraction: a handle of 24 bytes. Chains
/// share what they have in common.
struct ChainCost {
  std::int64_t ticks = 0;
  CostChains* chains = nullptr;  ///< where the parts are; null: no parts
  std::uint32_t parts = 0;

  ChainCost& operator+=(const ChainCost& o);
  /// Never cheaper than `o`, whatever the owners' costs are. False where that is hard to say.
  bool dominates(const ChainCost& o) const;
};

/// Keeps the parts of chains. A sum is written down as a reference to both summands, and summed up
/// once these are many, so a chain costs memory in proportion to its additions and no chain takes
/// longer to read than a constant times its owners.
class CostChains {
 public:
  using Part = AttributedCost::Part;

  ChainCost add(const AttributedCost& cost);
  std::uint32_t sum(std::uint32_t a, std::uint32_t b);
  /// The parts, one an owner, by kind and index.
  const std::vector<Part>& read(std::uint32_t chain);

 private:
  /// Two chains, or, if `second` is kWritten, `count` parts from parts_[first].
  struct Chain {
    std::uint32_t first;
    std::uint32_t second;
    std::uint32_t count;    ///< parts to read
    std::uint32_t written;  ///< owners when they were last summed up
  };
  static constexpr std::uint32_t kWritten = 0xffffffffu;
  static constexpr std::uint32_t kMostUnsummed = 32;

  std::uint32_t write(const std::vector<Part>& parts);

  std::vector<Chain> chains_{{0, kWritten, 0, 0}};
  std::vector<Part> parts_;
  std::vector<Part> read_;
  std::vector<std::uint32_t> unread_;
};

inline ChainCost& ChainCost::operator+=(const ChainCost& o) {
  ticks += o.ticks;
  if (o.parts == 0) return *this;
  chains = o.chains;
  parts = parts == 0 ? o.parts : chains->sum(parts, o.parts);
  return *this;
}

}  // namespace slackline
