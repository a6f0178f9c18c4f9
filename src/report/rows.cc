#include "report/rows.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.h"

namespace slackline {

using Presence = AnyField::Presence;

Schema AnyRows::schema() const {
  std::vector<Schema> parts;
  for (const AnyField& field : fields_) {
    if (field.schema == nullptr) continue;
    Schema schema = field.schema(field.inner);
    if (field.presence != Presence::spliced) {
      schema.key = field.key;
      if (field.presence == Presence::if_known) schema.required = schema.nullable = false;
      schema = {.kind = Schema::Kind::object, .inner = {std::move(schema)}};
    }
    parts.push_back(std::move(schema));
  }
  return merge_objects(parts);
}

Json AnyRows::object_of(const void* row, const void* names) const {
  Json::Members members;
  members.reserve(fields_.size());
  for (const AnyField& field : fields_) {
    if (field.json == nullptr) continue;
    Json value = field.json(field, row, names);
    if (field.presence == Presence::spliced) {
      members.insert(members.end(), value.members().begin(), value.members().end());
    } else if (field.presence == Presence::always || !value.is_null()) {
      members.push_back({std::string(field.key), std::move(value)});
    }
  }
  return JsonObjects::of(std::move(members));
}

Table AnyRows::empty_table() const {
  Table table{std::string(id_), std::string(title_), {}, {}};
  for (const AnyField& field : fields_) {
    if (field.cell == nullptr) continue;
    table.columns.push_back({std::string(field.title), field.unit, std::string(field.explanation)});
  }
  return table;
}

std::vector<Value> AnyRows::cells_of(const void* row, const void* names) const {
  std::vector<Value> cells;
  for (const AnyField& field : fields_) {
    if (field.cell != nullptr) cells.push_back(field.cell(field, row, names));
  }
  return cells;
}

namespace {

std::size_t number_of(const Table& table, std::string_view name) {
  const auto found = std::ranges::find(table.columns, name, &Column::name);
  expects(found != table.columns.end(), "a column of the table");
  return static_cast<std::size_t>(found - table.columns.begin());
}

}  // namespace

Column& column_named(Table& table, std::string_view name) {
  return table.columns[number_of(table, name)];
}

void remove_column(Table& table, std::string_view name) {
  const auto number = static_cast<std::ptrdiff_t>(number_of(table, name));
  table.columns.erase(table.columns.begin() + number);
  for (std::vector<Value>& row : table.rows) row.erase(row.begin() + number);
}

}  // namespace slackline
