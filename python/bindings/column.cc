#include "bindings/column.h"

#include <pybind11/stl.h>

#include <limits>

namespace slackline::python {

namespace py = pybind11;

namespace {

std::size_t rows_in(std::span<const TableRows> parts) {
  std::size_t rows = 0;
  for (const TableRows& part : parts) rows += part.count;
  return rows;
}

/// make(rows, values) of each part, which sets its values; `per_row` of them are a row's.
template <class T, class Make>
NewBuffer<T> filled(std::span<const TableRows> parts, std::size_t per_row, const Make& make) {
  std::vector<std::size_t> first{0};
  for (const TableRows& part : parts) first.push_back(first.back() + part.count);
  NewBuffer<T> made = new_buffer<T>(first.back() * per_row);
  parallel_for(parts.size(),
               [&](std::size_t i) { make(parts[i], made.values.data() + first[i] * per_row); });
  return made;
}

/// Differences of bytes and counts may be negative, and none is larger than 63 bits.
std::string dtype_of(const TableColumn& column) {
  const bool is_signed = column.is_signed || column.bytes == sizeof(std::int64_t);
  return (is_signed ? "i" : "u") + std::to_string(column.bytes);
}

/// The value of all rows, if they are known to have one.
std::optional<std::int64_t> only_value(const TableColumn& column,
                                       std::span<const TableRows> parts) {
  if (column.texts && column.texts().size() == 1) return 0;
  if (!column.constant || parts.empty()) return std::nullopt;
  const auto first = column.constant(parts.front().part);
  const bool same = std::ranges::all_of(
      parts, [&](const TableRows& rows) { return column.constant(rows.part) == first; });
  return same ? first : std::nullopt;
}

/// The rows in memory, if they stand one after the other. The columns of an Opened are joined, so
/// that this is so of all or of none.
const char* in_one_piece(const TableColumn& column, std::span<const TableRows> parts) {
  const char* begin = nullptr;
  const char* end = nullptr;
  for (const TableRows& rows : parts) {
    if (rows.count == 0) continue;
    if (rows.numbers != nullptr) return nullptr;
    const char* const here =
        static_cast<const char*>(column.stored(rows.part)) + rows.first * column.bytes;
    if (begin == nullptr) begin = end = here;
    if (here != end) return nullptr;
    end += rows.count * column.bytes;
  }
  return begin;
}

template <class Code>
Buffer codes(const TableColumn& column, std::span<const TableRows> parts) {
  const auto narrow = [&](const TableRows& rows, Code* to) {
    std::vector<char> written(rows.count * column.bytes);
    column.fill(rows, written.data());
    for (std::size_t i = 0; i < rows.count; ++i) {
      to[i] = static_cast<Code>(column.number(written.data() + i * column.bytes));
    }
  };
  return filled<Code>(parts, 1, narrow).buffer;
}

Buffer text_codes(const TableColumn& column, std::span<const TableRows> parts) {
  const std::size_t texts = column.texts().size();
  const auto fits = [&]<class Code>(Code) {
    return texts <= static_cast<std::size_t>(std::numeric_limits<Code>::max());
  };
  return fits(std::int8_t{})    ? codes<std::int8_t>(column, parts)
         : fits(std::int16_t{}) ? codes<std::int16_t>(column, parts)
                                : codes<std::int32_t>(column, parts);
}

Buffer numbers(const TableColumn& column, std::span<const TableRows> parts,
               const std::shared_ptr<const void>& owner) {
  if (column.stored) {
    if (const char* const all = in_one_piece(column, parts)) {
      return {dtype_of(column), rows_in(parts), owner, all, false};
    }
  }
  Buffer made = filled<char>(parts, column.bytes, column.fill).buffer;
  made.dtype = dtype_of(column);
  made.size = rows_in(parts);
  return made;
}

/// A column of which all values are the same costs one.
Buffer repeated(const TableColumn& column, std::int64_t value, std::size_t rows) {
  NewBuffer<std::int64_t> made = new_buffer<std::int64_t>(1);
  made.values[0] = value;  // little-endian: its first bytes are the value of any width
  made.buffer.dtype = column.texts ? "i1" : dtype_of(column);
  made.buffer.size = rows;
  made.buffer.repeats_first = true;
  made.buffer.writable = false;
  return std::move(made.buffer);
}

}  // namespace

Column column_of(const TableColumn& column, std::span<const TableRows> parts,
                 const std::shared_ptr<const void>& owner) {
  Column made{.name = column.name};
  if (column.texts) made.categories = column.texts();
  if (const auto value = only_value(column, parts)) {
    made.values = repeated(column, *value, rows_in(parts));
  } else {
    made.values = column.texts ? text_codes(column, parts) : numbers(column, parts, owner);
  }
  if (column.valid) made.valid = filled<bool>(parts, 1, column.valid).buffer;
  return made;
}

Columns columns_of(const TraceTable& table, const std::vector<std::uint32_t>* numbers) {
  constexpr std::size_t kRowsOfPart = 1 << 16;
  expects(table.first_row.size() == 2, "a table of one part");
  const std::size_t rows = numbers == nullptr ? table.rows() : numbers->size();
  std::vector<TableRows> parts;
  for (std::size_t at = 0; at < rows; at += kRowsOfPart) {
    parts.push_back({.first = at, .count = std::min(kRowsOfPart, rows - at)});
    if (numbers != nullptr) parts.back().numbers = numbers->data() + at;
  }
  Columns columns;
  for (const TableColumn& column : table.columns) columns.push_back(column_of(column, parts));
  return columns;
}

py::array to_array(const Buffer& buffer) {
  using Owner = std::shared_ptr<const void>;
  auto owner = std::make_unique<Owner>(buffer.owner);
  const py::capsule base(owner.get(), [](void* pointer) { delete static_cast<Owner*>(pointer); });
  owner.release();  // NOLINT(bugprone-unused-return-value): the capsule has it
  const auto strides =
      buffer.repeats_first ? py::array::StridesContainer{0} : py::array::StridesContainer{};
  py::array array(py::dtype(buffer.dtype), {buffer.size}, strides, buffer.data, base);
  if (!buffer.writable) array.attr("setflags")(py::arg("write") = false);
  return array;
}

py::tuple to_python(const Column& column) {
  const py::object categories = column.categories ? py::cast(*column.categories) : py::none();
  const py::object valid = column.valid ? py::object(to_array(*column.valid)) : py::none();
  return py::make_tuple(to_array(column.values), categories, valid);
}

py::dict to_python(const Columns& columns) {
  py::dict all;
  for (const Column& column : columns) all[py::str(column.name)] = to_python(column);
  return all;
}

}  // namespace slackline::python
