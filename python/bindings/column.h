#pragma once

#include <pybind11/numpy.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "formats/tables/trace_tables.h"

namespace slackline::python {

/// Values of one type on their way to a NumPy array: made for it, or part of a trace that they keep
/// alive.
struct Buffer {
  std::string dtype{};  ///< as numpy.dtype() reads it: "i8"
  std::size_t size = 0;
  std::shared_ptr<const void> owner{};
  const void* data = nullptr;
  bool writable = false;
  bool repeats_first = false;  ///< every value is the first one, and only that is in memory
};

template <class T>
std::string dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return "?";
  // Differences of bytes and counts may be negative, and none is larger than 63 bits.
  const bool is_signed = std::is_signed_v<T> || sizeof(T) == sizeof(std::int64_t);
  const char kind = std::is_floating_point_v<T> ? 'f' : is_signed ? 'i' : 'u';
  return kind + std::to_string(sizeof(T));
}

/// A buffer and its values, which are yet to be set.
template <class T>
struct NewBuffer {
  Buffer buffer;
  std::span<T> values;
};

/// Without a wish for huge pages: columns are written once, right after they are allocated, and in
/// a virtual machine to whose host that memory is new, the first touch of a huge page costs three
/// times what it costs to touch its small pages one by one.
template <class T>
NewBuffer<T> new_buffer(std::size_t size) {
  const std::shared_ptr<T[]> values = std::make_unique_for_overwrite<T[]>(size);
  return {Buffer{dtype_of<T>(), size, values, values.get(), true}, {values.get(), size}};
}

/// One column of a table. Text is stored as codes into `categories`.
struct Column {
  std::string name{};
  Buffer values{};
  std::optional<std::vector<std::string>> categories{};
  std::optional<Buffer> valid{};  ///< of booleans; without it there is a value in every row
};

using Columns = std::vector<Column>;

/// Texts that occur several times, each as a code.
class Categories {
 public:
  std::int32_t code(const std::string& text) {
    const auto [at, fresh] = codes_.try_emplace(text, static_cast<std::int32_t>(texts_.size()));
    if (fresh) texts_.push_back(text);
    return at->second;
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  std::map<std::string, std::int32_t> codes_;
  std::vector<std::string> texts_;
};

/// value(row) for all rows, on all threads.
template <class T, class ValueOf>
Buffer computed(std::size_t rows, const ValueOf& value) {
  constexpr std::size_t kRowsOfTask = 1 << 16;
  NewBuffer<T> made = new_buffer<T>(rows);
  parallel_for((rows + kRowsOfTask - 1) / kRowsOfTask, [&](std::size_t task) {
    const std::size_t end = std::min(rows, (task + 1) * kRowsOfTask);
    for (std::size_t row = task * kRowsOfTask; row < end; ++row) made.values[row] = value(row);
  });
  return std::move(made.buffer);
}

/// Columns of one table that are all computed by row.
class TableBuilder {
 public:
  explicit TableBuilder(std::size_t rows) : rows_(rows) {}

  template <class T, class ValueOf>
  void add(std::string name, const ValueOf& value) {
    columns_.push_back({.name = std::move(name), .values = computed<T>(rows_, value)});
  }
  /// `code` gives indices into `categories`.
  template <class ValueOf>
  void add_text(std::string name, std::vector<std::string> categories, const ValueOf& code) {
    columns_.push_back({.name = std::move(name),
                        .values = computed<std::int32_t>(rows_, code),
                        .categories = std::move(categories)});
  }
  /// A column with holes where `valid` is false.
  template <class T, class ValueOf, class IsValid>
  void add_optional(std::string name, const ValueOf& value, const IsValid& valid) {
    columns_.push_back(
        {.name = std::move(name),
         .values = computed<T>(rows_, [&](std::size_t i) { return valid(i) ? value(i) : T{}; }),
         .valid = computed<bool>(rows_, valid)});
  }
  Columns take() { return std::move(columns_); }

 private:
  std::size_t rows_;
  Columns columns_;
};

/// The rows `parts` of a described column, one part after the other and a thread each. What the
/// table has as an array is a view of it, which keeps `owner` alive, wherever these rows stand one
/// after the other in memory; else values are made, those of one value once. Codes of text are as
/// narrow as the number of texts permits: pandas takes those without a copy.
Column column_of(const TableColumn& column, std::span<const TableRows> parts,
                 const std::shared_ptr<const void>& owner = nullptr);
/// All columns of the rows `numbers`; all rows where there are none.
Columns columns_of(const TraceTable& table, const std::vector<std::uint32_t>* numbers = nullptr);

/// The array, which shares the buffer's memory. Read-only where that is a trace's.
pybind11::array to_array(const Buffer& buffer);
/// (values, categories or None, valid or None)
pybind11::tuple to_python(const Column& column);
/// A dict of such tuples by the columns' names.
pybind11::dict to_python(const Columns& columns);

}  // namespace slackline::python
