#include "page/drawn_matrix.h"

#include <fmt/format.h>

#include "report/object.h"
#include "report/writers.h"

namespace slackline {

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
