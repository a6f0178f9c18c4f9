#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "report/unicode.h"
#include "report/writers.h"

// RFC 4180: lines end in CR LF; a field with a comma, a quote or a line break stands in quotes, and
// a quote inside is doubled. Numbers are written with the fewest digits that read back the same.

namespace slackline {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

std::string_view suffix_of(Unit unit) {
  switch (unit) {
    case Unit::ns:
      return "_ns";
    case Unit::bytes:
      return "_bytes";
    case Unit::ratio:
    case Unit::points:
      return "_ratio";
    case Unit::none:
    case Unit::count:
      break;
  }
  return "";
}

/// "time in MPI", ns -> "time_in_MPI_ns": a name that needs no quotes in a script.
std::string header_of(const Column& column) {
  std::string name;
  for (const char c : column.name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool keep = byte >= 0x80 || std::isalnum(byte) != 0;
    if (keep) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  const std::string_view suffix = suffix_of(column.unit);
  if (!name.ends_with(suffix)) name += suffix;
  return name;
}

std::string field_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return csv_field(*text);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value)) {
    return std::isfinite(*number) ? fmt::format("{}", *number) : "";
  }
  return "";
}

void append_row(std::string& out, const std::vector<Value>& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) out += ',';
    out += field_of(row[i]);
  }
  out += kLineEnd;
}

void append_table(std::string& out, const Table& table) {
  std::vector<Value> header;
  for (const Column& column : table.columns) header.emplace_back(header_of(column));
  append_row(out, header);
  for (const auto& row : table.rows) append_row(out, row);
}

std::string column_unit(Unit unit) {
  const std::string_view suffix = suffix_of(unit);
  return std::string(suffix.empty() ? suffix : suffix.substr(1));
}

/// The facts of a section, under its name.
Table table_of(const Section& section, const std::vector<Fact>& facts) {
  Table table{.id = section.id,
              .title = section.title,
              .columns = {{"name"}, {"value"}, {"unit"}},
              .rows = {}};
  for (const Fact& fact : facts) {
    table.rows.push_back({fact.label, fact.value, column_unit(fact.unit)});
  }
  return table;
}

/// A title on one line: a line break in it would begin a row.
std::string title_line(const Table& table) {
  return printable(fmt::format("# {}: {}", table.id, table.title));
}

/// Tables, and the facts of each section as one.
struct Contents {
  std::vector<Table> tables;
  std::vector<Table> facts;
};

void collect(const Section& section, Contents& contents) {
  std::vector<Fact> facts;
  for (const Item& item : section.items) {
    if (const auto* table = std::get_if<Table>(&item)) contents.tables.push_back(*table);
    if (const auto* some = std::get_if<Facts>(&item)) {
      facts.insert(facts.end(), some->facts.begin(), some->facts.end());
    }
  }
  if (!facts.empty()) contents.facts.push_back(table_of(section, facts));
  for (const Section& child : section.children) collect(child, contents);
}

/// A single table stands alone: what only surrounds it would be in the way of a script.
std::vector<Table> written_tables(const Report& report) {
  Contents contents;
  for (const Section& section : report.sections) collect(section, contents);
  std::vector<Table> tables = std::move(contents.tables);
  if (tables.size() != 1) std::ranges::move(contents.facts, std::back_inserter(tables));
  return tables;
}

}  // namespace

std::string write_csv(const Report& report) {
  std::string out;
  const std::vector<Table> tables = written_tables(report);
  for (const Table& table : tables) {
    if (tables.size() > 1) {
      out += title_line(table);
      out += kLineEnd;
    }
    append_table(out, table);
  }
  return out;
}

std::string write_csv_table(const Report& report, const std::string& id) {
  std::string ids;
  for (const Table& table : written_tables(report)) {
    if (table.id == id) {
      std::string out;
      append_table(out, table);
      return out;
    }
    ids += (ids.empty() ? "" : ", ") + table.id;
  }
  throw usage_error(fmt::format("cannot write the table '{}'", id), "the report has no such table",
                    ids.empty() ? "It has none." : "Choose from " + ids + ".");
}

}  // namespace slackline
