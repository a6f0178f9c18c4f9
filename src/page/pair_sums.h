#pragma once

#include <cstdint>
#include <vector>

#include "page/drawn_matrix.h"

namespace slackline {

/// Sums of whole numbers by pair of ranks; above 512 ranks by pair of blocks of ranks.
class PairSums {
 public:
  explicit PairSums(std::int32_t ranks);

  void add(std::int32_t row, std::int32_t column, std::uint64_t value) {
    cells_[static_cast<std::size_t>(row / block_) * static_cast<std::size_t>(size_) +
           static_cast<std::size_t>(column / block_)] += value;
  }
  bool empty() const;
  /// Fills block, size, total, maximum and cells of `matrix`.
  Matrix matrix(Matrix matrix) const;
  struct Cell {
    std::int64_t row;  ///< of blocks the first rank
    std::int64_t column;
    std::int64_t value;
  };
  std::vector<Cell> largest(std::size_t most) const;

  std::int32_t block() const { return block_; }

 private:
  std::int32_t ranks_;
  std::int32_t block_;
  std::int32_t size_;
  std::vector<std::uint64_t> cells_;
};

}  // namespace slackline
