#include "formats/tables/table.h"

#include <algorithm>

#include "base/error.h"

namespace slackline {
namespace {

template <class T>
std::int64_t read(const char* written) {
  T value;
  std::memcpy(&value, written, sizeof value);
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::int64_t TableColumn::number(const char* written) const {
  switch (bytes) {
    case 1:
      return is_signed ? read<std::int8_t>(written) : read<std::uint8_t>(written);
    case 2:
      return is_signed ? read<std::int16_t>(written) : read<std::uint16_t>(written);
    case 4:
      return is_signed ? read<std::int32_t>(written) : read<std::uint32_t>(written);
    default:
      return read<std::int64_t>(written);
  }
}

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
