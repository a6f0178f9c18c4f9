#include "graph/transfer_costs.h"

#include <algorithm>
#include <cmath>

namespace slackline {

std::uint64_t TransferCosts::bytes(std::uint64_t size) const {
  if (pieces_.empty() || size == 0) return size;
  const auto after = std::ranges::upper_bound(pieces_, size, {}, &Piece::from_bytes);
  const Piece& piece = after == pieces_.begin() ? *after : *(after - 1);
  const double cost = piece.offset_bytes + piece.slope * static_cast<double>(size);
  constexpr double kMost = 0x1p62;
  return static_cast<std::uint64_t>(std::llround(std::clamp(cost, 1.0, kMost)));
}

}  // namespace slackline
