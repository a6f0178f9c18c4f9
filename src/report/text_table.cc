#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "report/column_format.h"
#include "report/text_parts.h"
#include "report/unicode.h"

namespace slackline {
namespace {

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
