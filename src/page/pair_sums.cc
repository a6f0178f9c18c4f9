#include "page/pair_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/object.h"
#include "report/writers.h"

namespace slackline {
namespace {

constexpr std::int32_t kMostRows = 512;

}  // namespace

PairSums::PairSums(std::int32_t ranks)
    : ranks_(ranks),
      block_(std::max(1, (ranks + kMostRows - 1) / kMostRows)),
      size_((ranks + block_ - 1) / block_),
      cells_(static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_)) {}

bool PairSums::empty() const {
  return std::ranges::all_of(cells_, [](std::uint64_t cell) { return cell == 0; });
}

Matrix PairSums::matrix(Matrix m) const {
  m.ranks = ranks_;
  m.block = block_;
  m.size = size_;
  m.total = std::reduce(cells_.begin(), cells_.end(), std::uint64_t{0});
  m.maximum = cells_.empty() ? 0 : *std::ranges::max_element(cells_);
  ByteColumn column;
  for (const std::uint64_t cell : cells_) column.varint(cell);
  m.cells = compress(column.bytes());
  return m;
}

std::vector<PairSums::Cell> PairSums::largest(std::size_t most) const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i] > 0) order.push_back(i);
  }
  const auto shown = static_cast<std::ptrdiff_t>(std::min(most, order.size()));
  std::ranges::partial_sort(order, order.begin() + shown, [this](std::size_t a, std::size_t b) {
    return cells_[a] != cells_[b] ? cells_[a] > cells_[b] : a < b;
  });
  const auto rank_of = [this](std::size_t index) {
    return static_cast<std::int64_t>(index) * block_;
  };
  std::vector<Cell> cells;
  for (std::ptrdiff_t i = 0; i < shown; ++i) {
    const std::size_t at = order[static_cast<std::size_t>(i)];
    const auto size = static_cast<std::size_t>(size_);
    cells.push_back(
        {rank_of(at / size), rank_of(at % size), static_cast<std::int64_t>(cells_[at])});
  }
  return cells;
}

Json Matrix::json(BlobList& blobs) const {
  return Object{"kind"_key = "matrix",
                "id"_key = id,
                "title"_key = title,
                "explanation"_key = explanation,
                "rows"_key = rows,
                "columns"_key = columns,
                "unit"_key = name_of(unit),
                "ranks"_key = ranks,
                "block"_key = block,
                "size"_key = size,
                "total"_key = total,
                "maximum"_key = maximum,
                "cells"_key = blob_reference(cells, blobs)};
}

std::string Matrix::text() const {
  return fmt::format("{}: {} in total, maximum {} per pair of {}", title,
                     format_value(static_cast<double>(total), unit),
                     format_value(static_cast<double>(maximum), unit),
                     block > 1 ? fmt::format("blocks of {} ranks", block) : "ranks");
}

}  // namespace slackline
