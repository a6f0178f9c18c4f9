#include "formats/tables/table.h"

#include <algorithm>

#include "base/error.h"

namespace slackline {
const TableColumn& TraceTable::column(std::string_view wanted) const {
  const auto found = std::ranges::find(columns, wanted, &TableColumn::name);
  expects(found != columns.end(), "the table has the column");
  return *found;
}

TableRows TraceTable::at(std::size_t row) const {
  const auto part = std::ranges::upper_bound(first_row, row) - first_row.begin() - 1;
  return {.part = static_cast<std::int32_t>(part),
          .first = row - first_row[static_cast<std::size_t>(part)],
          .count = 1};
}

}  // namespace slackline
