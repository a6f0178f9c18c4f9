#pragma once

#include <cstdint>
#include <string>

#include "report/blob.h"
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

}  // namespace slackline
