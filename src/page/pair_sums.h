#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/picture.h"
#include "report/unit.h"

namespace slackline {

/// Whole numbers by pair of ranks, or by pair of blocks of ranks.
struct Matrix final : Picture {
  Json json(BlobList& blobs) const override;
  /// The sum and the largest cell.
  std::string text() const override;

  std::string id;
  std::string title;
  std::string explanation;
  std::string rows;  ///< what a row is: "sender"
  std::string columns;
  Unit unit = Unit::count;
  std::int32_t ranks = 0;
  std::int32_t block = 1;  ///< ranks that a row stands for
  std::int32_t size = 0;   ///< rows, and columns
  std::uint64_t total = 0;
  std::uint64_t maximum = 0;  ///< of one cell
  Blob cells;                 ///< size * size varints, row by row (doc/formats/page.md)
};

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
