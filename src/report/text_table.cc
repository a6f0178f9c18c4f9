#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "base/units.h"
#include "report/report.h"
#include "report/text_parts.h"
#include "report/unicode.h"
#include "report/writers.h"

namespace slackline {
namespace {

/// A table's column as text: the heading with its unit, one cell a row.
struct TextColumn {
  std::string heading;
  std::vector<std::string> cells;
  bool right = false;  ///< numbers stand to the right
};

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

/// Times get one unit for the whole column ("time (ms)": 64.145, 0.310), so that their digits stand
/// below each other, unless the smallest would vanish in it; then each cell has its own.
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

constexpr int kNarrowestText = 14;  // a column of names is not wrapped below this

struct LaidOutColumn {
  TextColumn text;
  int width = 0;    // what it has
  int minimum = 0;  // what it can be wrapped to without harm
};

int widest(const std::vector<std::string>& cells) {
  int width = 0;
  for (const std::string& cell : cells) width = std::max(width, display_width(cell));
  return width;
}

int longest_word(const std::string& text) {
  int width = 0;
  for (const std::string& line : wrap(text, 2000)) {
    for (std::size_t from = 0; from < line.size();) {
      const std::size_t end = std::min(line.find(' ', from), line.size());
      width = std::max(width, display_width(std::string_view(line).substr(from, end - from)));
      from = end + 1;
    }
  }
  return width;
}

std::vector<LaidOutColumn> columns_of(const Table& table) {
  std::vector<LaidOutColumn> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    LaidOutColumn column{.text = text_column(table, i)};
    const int cells = widest(column.text.cells);
    column.width = std::max({1, cells, display_width(column.text.heading)});
    const int needed = column.text.right ? cells : std::min(cells, kNarrowestText);
    column.minimum =
        std::clamp(std::max(needed, longest_word(column.text.heading)), 1, column.width);
    columns.push_back(std::move(column));
  }
  return columns;
}

int total_width(const std::vector<LaidOutColumn>& columns) {
  int total = -kGap;
  for (const LaidOutColumn& column : columns) total += column.width + kGap;
  return total;
}

/// Takes columns from whichever is widest above its minimum, until the table fits or none is.
void shrink(std::vector<LaidOutColumn>& columns, int width) {
  for (int excess = total_width(columns) - width; excess > 0; --excess) {
    LaidOutColumn* widest = nullptr;
    for (LaidOutColumn& column : columns) {
      if (column.width <= column.minimum) continue;
      if (widest == nullptr || column.width > widest->width) widest = &column;
    }
    if (widest == nullptr) return;
    --widest->width;
  }
}

/// One row of cells, as many lines as its highest cell needs.
Lines row_lines(const std::vector<const LaidOutColumn*>& columns,
                const std::vector<const std::string*>& cells, bool align_bottom) {
  std::vector<std::vector<std::string>> wrapped;
  std::size_t height = 1;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    wrapped.push_back(wrap(*cells[i], columns[i]->width));
    height = std::max(height, wrapped.back().size());
  }
  Lines lines(height);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t above = align_bottom ? height - wrapped[i].size() : 0;
    for (std::size_t at = 0; at < height; ++at) {
      const bool filled = at >= above && at - above < wrapped[i].size();
      std::string cell = filled ? wrapped[i][at - above] : "";
      const int width = columns[i]->width;
      if (i > 0) lines[at].append(kGap, ' ');
      lines[at] += columns[i]->text.right ? pad_left(cell, width) : pad_right(cell, width);
    }
  }
  for (std::string& line : lines) line = rtrim(std::move(line));
  return lines;
}

Lines block_lines(const std::vector<const LaidOutColumn*>& columns, std::size_t rows, Ink ink) {
  Lines lines;
  std::vector<const std::string*> cells;
  for (const auto* column : columns) cells.push_back(&column->text.heading);
  for (const std::string& line : row_lines(columns, cells, true)) lines.push_back(ink.bold(line));
  std::string rule;
  for (const auto* column : columns) {
    if (!rule.empty()) rule.append(kGap, ' ');
    for (int i = 0; i < column->width; ++i) rule += "─";
  }
  lines.push_back(ink.dim(rule));
  for (std::size_t row = 0; row < rows; ++row) {
    cells.clear();
    for (const auto* column : columns) cells.push_back(&column->text.cells[row]);
    append(lines, row_lines(columns, cells, false));
  }
  return lines;
}

/// The last resort for a line that is too short for two columns: both are cut to halves.
void limit(std::vector<LaidOutColumn>& columns, int width) {
  const int half = std::max(2, (width - kGap) / 2);
  for (LaidOutColumn& column : columns) column.width = std::min(column.width, half);
}

/// Columns that fit side by side, from `next` on; the first column leads every block.
std::vector<const LaidOutColumn*> next_block(const std::vector<LaidOutColumn>& columns,
                                             std::size_t& next, int width) {
  std::vector<const LaidOutColumn*> block{columns.data()};
  int used = columns[0].width;
  next = std::max<std::size_t>(next, 1);
  while (next < columns.size()) {
    used += kGap + columns[next].width;
    if (used > width && block.size() > 1) break;
    block.push_back(&columns[next++]);
  }
  return block;
}

/// Tables this long are lists for scripts; people read their head, and of ranks how they differ.
constexpr std::size_t kLongTable = 48;
constexpr std::size_t kHeadOfLongTable = 16;

/// A row that says one thing of all numbers of each column.
template <class Summary>
std::vector<Value> summary_row(const Table& table, const char* name, Summary summary) {
  std::vector<Value> row{std::string(name)};
  for (std::size_t i = 1; i < table.columns.size(); ++i) {
    std::vector<double> numbers;
    for (const auto& values : table.rows) {
      if (const auto* whole = std::get_if<std::int64_t>(&values[i])) {
        numbers.push_back(static_cast<double>(*whole));
      } else if (const auto* number = std::get_if<double>(&values[i])) {
        numbers.push_back(*number);
      }
    }
    const bool all = numbers.size() == table.rows.size();
    row.push_back(all ? Value(summary(numbers)) : Value());
  }
  return row;
}

/// The head of a long table; of one with a row for every rank also minimum, median and maximum.
Table head_of(const Table& table) {
  Table head{table.id, table.title, table.columns, {}};
  head.rows.assign(table.rows.begin(), table.rows.begin() + kHeadOfLongTable);
  if (!table.columns.front().name.starts_with("rank")) return head;
  const auto least = [](const std::vector<double>& v) { return *std::ranges::min_element(v); };
  const auto most = [](const std::vector<double>& v) { return *std::ranges::max_element(v); };
  const auto middle = [](std::vector<double> v) { return median(v); };
  head.rows.push_back(summary_row(table, "minimum", least));
  head.rows.push_back(summary_row(table, "median", middle));
  head.rows.push_back(summary_row(table, "maximum", most));
  return head;
}

}  // namespace

Lines table_lines(const Table& table, int width, Ink ink) {
  if (table.columns.empty() || table.rows.empty()) return {ink.dim("(no rows)")};
  if (table.rows.size() > kLongTable) {
    Lines lines = table_lines(head_of(table), width, ink);
    lines.push_back(ink.dim(std::to_string(table.rows.size() - kHeadOfLongTable) +
                            " more rows: --format csv, json or html shows them."));
    return lines;
  }
  std::vector<LaidOutColumn> columns = columns_of(table);
  shrink(columns, width);
  if (columns.size() == 1) columns[0].width = std::min(columns[0].width, width);
  if (total_width(columns) > width) limit(columns, width);
  Lines lines;
  for (std::size_t next = 0; next < columns.size();) {
    if (!lines.empty()) lines.emplace_back();
    append(lines, block_lines(next_block(columns, next, width), table.rows.size(), ink));
  }
  return lines;
}

}  // namespace slackline
