#include "report/column_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/units.h"
#include "report/unicode.h"
#include "report/writers.h"

namespace slackline {
namespace {

struct TimeScale {
  double factor;
  const char* unit;
  int decimals;
};

const Value& cell_at(const std::vector<Value>& row, std::size_t column) {
  static const Value kNothing;
  return column < row.size() ? row[column] : kNothing;
}

std::optional<double> number_in(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*integer);
  }
  const auto* number = std::get_if<double>(&value);
  if (number != nullptr && std::isfinite(*number)) return *number;
  return std::nullopt;
}

/// Three decimals show 10 ns in a column of us; what is smaller needs its own unit.
std::optional<TimeScale> common_scale(const Table& table, std::size_t column) {
  double largest = 0;
  double smallest = std::numeric_limits<double>::infinity();
  bool whole = true;
  for (const auto& row : table.rows) {
    const double size = std::abs(number_in(cell_at(row, column)).value_or(0));
    if (size == 0) continue;
    largest = std::max(largest, size);
    smallest = std::min(smallest, size);
    whole = whole && size == std::floor(size);
  }
  if (largest == 0) return std::nullopt;
  static constexpr std::array kScales{TimeScale{1e9, "s", 3}, TimeScale{1e6, "ms", 3},
                                      TimeScale{1e3, "us", 3}, TimeScale{1, "ns", 2}};
  for (TimeScale scale : kScales) {
    if (largest < scale.factor && scale.factor > 1) continue;
    if (smallest < 0.01 * scale.factor) return std::nullopt;
    if (scale.factor == 1 && whole) scale.decimals = 0;
    return scale;
  }
  return std::nullopt;
}

/// One number of decimals for a column of shares: two if a share would read 0.0 % otherwise.
int percent_decimals(const Table& table, std::size_t column) {
  for (const auto& row : table.rows) {
    const double size = std::abs(number_in(cell_at(row, column)).value_or(0));
    if (size > 0 && size < 0.0005) return 2;
  }
  return 1;
}

bool is_number(const Value& value) {
  return std::holds_alternative<double>(value) || std::holds_alternative<std::int64_t>(value);
}

bool has_only_numbers(const Table& table, std::size_t column) {
  bool any = false;
  for (const auto& row : table.rows) {
    const Value& value = cell_at(row, column);
    if (std::holds_alternative<std::string>(value)) return false;
    any = any || is_number(value);
  }
  return any;
}

}  // namespace

TextColumn text_column(const Table& table, std::size_t column) {
  const Column& spec = table.columns[column];
  TextColumn text;
  text.heading = printable(spec.name);
  text.right = spec.unit != Unit::none || has_only_numbers(table, column);
  const auto scale = spec.unit == Unit::ns ? common_scale(table, column) : std::nullopt;
  if (scale) text.heading += fmt::format(" ({})", scale->unit);
  const int decimals = spec.unit == Unit::ratio ? percent_decimals(table, column) : 0;
  text.cells.reserve(table.rows.size());
  for (const auto& row : table.rows) {
    const Value& value = cell_at(row, column);
    const auto number = number_in(value);
    if (number && scale) {
      text.cells.push_back(fmt::format("{:.{}f}", *number / scale->factor, scale->decimals));
    } else if (number == 0 && spec.unit == Unit::ns) {
      text.cells.emplace_back("0");  // without a unit that the other rows do not have
    } else if (number && spec.unit == Unit::ratio) {
      text.cells.push_back(format_percent(*number, decimals));
    } else {
      text.cells.push_back(format_value(value, spec.unit));
    }
  }
  return text;
}

}  // namespace slackline
