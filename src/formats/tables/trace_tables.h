#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "calls/call_matching.h"
#include "calls/call_paths.h"
#include "calls/region_tree.h"
#include "trace/trace.h"

namespace slackline {

// A table as it is described once for all forms in which it is given: files of Arrow, SQLite and
// CSV, queries, and Python's arrays. Values are computed when they are asked for, many at a time.

/// Rows of one part of a table, such as a rank's calls.
struct TableRows {
  std::int32_t part = 0;
  std::size_t first = 0;  ///< counted from the part's first row
  std::size_t count = 0;
  const std::uint32_t* numbers = nullptr;  ///< the rows, where they are not those from `first` on

  std::size_t operator[](std::size_t i) const {
    return numbers == nullptr ? first + i : numbers[i];
  }
};

using Texts = std::vector<std::string>;

/// A column of integers, or of texts, which are given as indices into a list. A function that is
/// absent means that no value has what it would tell.
struct TableColumn {
  std::string name;
  std::string_view explanation;  ///< as the documentation has it
  std::size_t bytes = 0;         ///< of a value
  bool is_signed = false;
  /// Writes the values of the rows one after the other. From any thread.
  std::function<void(const TableRows&, char* to)> fill{};
  /// The texts that values are indices into; made when first asked for.
  std::function<const Texts&()> texts{};
  /// Writes whether rows have a value.
  std::function<void(const TableRows&, bool* to)> valid{};
  /// All values of a part, where it has them as an array.
  std::function<const void*(std::int32_t part)> stored{};
  /// The one value that all rows of the part have, if that is known without a look at them.
  std::function<std::optional<std::int64_t>(std::int32_t part)> constant{};

  /// A value as fill() has written it; none of 64 bits is above 2^63.
  std::int64_t number(const char* written) const {
    std::int64_t value = 0;
    std::memcpy(&value, written, bytes);  // little-endian
    const auto unused = static_cast<int>(8 * (sizeof value - bytes));
    return is_signed ? value << unused >> unused : value;
  }
};

/// It refers to what it was made of.
struct TraceTable {
  std::string name;
  std::vector<std::size_t> first_row{0};  ///< of each part, and of all behind the last one
  bool by_rank = false;  ///< parts are ranks; the first two columns are rank and row within it
  std::vector<TableColumn> columns{};
  std::string key{};                   ///< names of the columns that tell rows apart
  std::vector<std::string> indices{};  ///< columns that rows are often searched by

  std::size_t rows() const { return first_row.back(); }
  const TableColumn& column(std::string_view wanted) const;
  /// The row of that number among all. O(log(parts)).
  TableRows at(std::size_t row) const;
  /// visit(rows) for the parts that have any of rows `begin` to `end` - 1.
  template <class Visit>
  void each_part(std::size_t begin, std::size_t end, Visit visit) const {
    while (begin < end) {
      TableRows rows = at(begin);
      rows.count = std::min(end, first_row[static_cast<std::size_t>(rows.part) + 1]) - begin;
      visit(rows);
      begin += rows.count;
    }
  }
};

/// A function that returns make()'s result, computed at the first call.
template <class Make>
auto lazily(Make make) {
  struct State {
    explicit State(Make m) : make(std::move(m)) {}
    Make make;
    std::once_flag once{};
    std::optional<std::invoke_result_t<Make>> made{};
  };
  return [state = std::make_shared<State>(std::move(make))]() -> const auto& {
    std::call_once(state->once, [&] { state->made.emplace(state->make()); });
    return *state->made;
  };
}

/// Adds columns to a table. `Of` gives of (part, row) what the columns' functions take.
template <class Of>
class ColumnsOf {
 public:
  ColumnsOf(TraceTable& table, Of of) : table_(table), of_(std::move(of)) {}

  /// Numbers of the type that `value` returns; where that is an optional, some may be missing.
  template <class ValueOf>
  ColumnsOf& number(std::string name, std::string_view explanation, ValueOf value) {
    const auto value_at = [of = of_, value](const TableRows& rows, std::size_t i) {
      return value(of(rows.part, rows[i]));
    };
    using Returned = decltype(value_at({}, 0));
    if constexpr (requires(Returned r) { r.has_value(); }) {
      using T = typename Returned::value_type;
      add<T>(std::move(name), explanation,
             [=](const TableRows& rows, std::size_t i) { return value_at(rows, i).value_or(T{}); });
      last().valid = [=](const TableRows& rows, bool* to) {
        for (std::size_t i = 0; i < rows.count; ++i) to[i] = value_at(rows, i).has_value();
      };
    } else {
      add<Returned>(std::move(name), explanation, value_at);
    }
    return *this;
  }
  /// `code` gives an index into `texts`.
  template <class CodeOf>
  ColumnsOf& text(std::string name, std::string_view explanation,
                  std::function<const Texts&()> texts, CodeOf code) {
    number(std::move(name), explanation, code);
    table_.columns.back().texts = std::move(texts);
    return *this;
  }
  TableColumn& last() { return table_.columns.back(); }

 private:
  template <class T, class ValueAt>
  void add(std::string name, std::string_view explanation, ValueAt value_at) {
    const auto fill = [value_at](const TableRows& rows, char* to) {
      for (std::size_t i = 0; i < rows.count; ++i, to += sizeof(T)) {
        const T next = value_at(rows, i);
        std::memcpy(to, &next, sizeof(T));
      }
    };
    table_.columns.push_back({std::move(name), explanation, sizeof(T), std::is_signed_v<T>, fill});
  }

  TraceTable& table_;
  Of of_;
};

// The tables of a trace (doc/formats/sqlite.md), each described once. They refer to their
// arguments.

/// The calls, a part for each rank. O(ranks); of texts O(calls of one byte each + call paths) when
/// they are first asked for. `paths` gives those of regions or functions; without it they are made.
TraceTable calls_table(const Trace& trace, std::function<const CallPaths&()> paths = {});
TraceTable messages_table(const Trace& trace, const CallMatching& matching);
TraceTable collectives_table(const Trace& trace, const CallMatching& matching);
TraceTable regions_table(const Trace& trace, std::vector<RegionVisit> visits);
TraceTable findings_table(const std::vector<Findings::Entry>& entries);

/// All of them, in the order in which files have them. O(region events + members of communicators).
std::vector<TraceTable> trace_tables(const Trace& trace, const CallMatching& matching);

}  // namespace slackline
