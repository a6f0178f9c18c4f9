#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace slackline {

/// What messages of each size take beside L and the overheads, where it was measured: in bytes,
/// each of which costs G. So T remains linear in G, which scales the measured times.
class TransferCosts {
 public:
  /// From that size on to the next piece's, a message is as expensive as offset + slope * size
  /// bytes.
  struct Piece {
    std::uint64_t from_bytes = 0;
    double offset_bytes = 0;
    double slope = 1;
  };

  /// LogGPS: a message of s bytes costs s.
  TransferCosts() = default;
  /// Ascending; the first one also holds for smaller messages.
  explicit TransferCosts(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}

  /// The cost of a message of that size; at least 1 for one that is not empty.
  std::uint64_t bytes(std::uint64_t size) const;
  bool empty() const { return pieces_.empty(); }
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::vector<Piece> pieces_;
};

}  // namespace slackline
