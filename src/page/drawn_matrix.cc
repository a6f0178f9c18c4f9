#include "page/drawn_matrix.h"

#include <fmt/format.h>

#include "report/writers.h"

namespace slackline {

Json Matrix::json(BlobList& blobs) const {
  return {{"kind", "matrix"},
          {"id", id},
          {"title", title},
          {"explanation", explanation},
          {"rows", rows},
          {"columns", columns},
          {"unit", name_of(unit)},
          {"ranks", ranks},
          {"block", block},
          {"size", size},
          {"total", total},
          {"maximum", maximum},
          {"cells", blob_reference(cells, blobs)}};
}

std::string Matrix::text() const {
  return fmt::format("{}: {} in total, maximum {} per pair of {}", title,
                     format_value(static_cast<double>(total), unit),
                     format_value(static_cast<double>(maximum), unit),
                     block > 1 ? fmt::format("blocks of {} ranks", block) : "ranks");
}

}  // namespace slackline
