#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "report/json_type.h"
#include "report/report.h"

namespace slackline {

// A row is declared once: its fields are the members of its JSON object, whose schema follows, and
// those with a unit are also the columns of the table that people read.
//
//   const Rows<Wait> kWaits{"waits", "Wait states",
//       {{"rank", &Wait::rank},                             // JSON only
//        {"count", Unit::count, &Wait::count},              // both
//        {"sum_ns", "total", Unit::ns, &Wait::sum_ns},      // both, with another title
//        {kShown, "share", Unit::ratio, share_of_waiting},  // table only
//        {"worst", &Wait::worst, kCalls}}};                 // made of other rows
//
// A value is a member, or what a function without captures makes of the row, or of the row and the
// names that the rows are declared with (e.g. the trace whose numbers they hold). Declare rows at
// namespace scope: other rows and JsonBy refer to them.

/// In place of a key: only tables have the field.
struct Shown {};
inline constexpr Shown kShown{};
/// In place of a key: the value is an object, whose members become the row's own.
struct Spliced {};
inline constexpr Spliced kSpliced{};

/// Before a key: the key is missing where the value is null.
struct IfKnown {};
inline constexpr IfKnown kIfKnown{};

/// Text that differs between JSON and tables.
struct NameOf {
  NameOf(std::string_view of_scripts, std::string_view of_people)
      : identifier(of_scripts), name(of_people) {}
  std::string identifier;
  std::string name;
};
template <>
struct JsonTraits<NameOf> : JsonTraits<std::string> {
  static Json json(const NameOf& value) { return Json(value.identifier); }
};

/// A value in a table.
inline Value cell_of(std::string_view text) {
  return std::string(text);
}
inline Value cell_of(const NameOf& text) {
  return text.name;
}
inline Value cell_of(double number) {
  return number;
}
inline Value cell_of(std::integral auto number) {
  return static_cast<std::int64_t>(number);
}
inline Value cell_of(const std::same_as<Value> auto& value) {
  return value;
}
template <class T>
Value cell_of(const std::optional<T>& value) {
  return value ? cell_of(*value) : Value();
}

/// The names of rows that need none.
struct NoNames {};

class AnyRows;

/// A field without the types of its row and its names.
struct AnyField {
  enum class Presence : std::uint8_t {
    always,
    if_known,  ///< the key is missing where the value is null
    spliced
  };
  /// The member or function that gives the value.
  struct alignas(void*) Getter {
    std::array<std::byte, 2 * sizeof(void*)> bytes{};
  };

  std::string_view key{};
  std::string_view title{};
  Unit unit = Unit::none;
  std::string_view explanation{};
  Presence presence = Presence::always;
  const AnyRows* inner = nullptr;  ///< the rows that the value is made of
  Getter getter{};
  // Null of what only tables have.
  Schema (*schema)(const AnyRows* inner) = nullptr;
  Json (*json)(const AnyField& field, const void* row, const void* names) = nullptr;
  // Null of what only JSON has.
  Value (*cell)(const AnyField& field, const void* row, const void* names) = nullptr;
};

/// Rows without their types. Other rows are not read before a schema or a value is asked for, so
/// that the order of construction across files does not matter.
class AnyRows {
 public:
  /// The schema of one row's object.
  Schema schema() const;

 protected:
  AnyRows(std::string_view id, std::string_view title, std::vector<AnyField> fields)
      : id_(id), title_(title), fields_(std::move(fields)) {}
  ~AnyRows() = default;
  AnyRows(const AnyRows&) = delete;
  AnyRows& operator=(const AnyRows&) = delete;

  Json object_of(const void* row, const void* names) const;
  /// Without rows.
  Table empty_table() const;
  std::vector<Value> cells_of(const void* row, const void* names) const;

 private:
  std::string_view id_;
  std::string_view title_;
  std::vector<AnyField> fields_;
};

template <class Row, class Names = NoNames>
class Rows;

/// The value of the field's getter, which is of type Get, for a row. Not a member of Field, so that
/// all fields with getters of one type share it.
template <class Get, class Row, class Names>
decltype(auto) value_in(const AnyField& field, const void* row, const void* names) {
  const Get& get = *std::launder(reinterpret_cast<const Get*>(field.getter.bytes.data()));
  const Row& of = *static_cast<const Row*>(row);
  if constexpr (std::is_member_function_pointer_v<Get>) {
    return (of.*get)();
  } else if constexpr (std::is_member_object_pointer_v<Get>) {
    return (of.*get);
  } else if constexpr (requires { get(of); }) {
    return get(of);
  } else {
    return get(of, *static_cast<const Names*>(names));
  }
}

template <class Row, class Names = NoNames>
class Field : public AnyField {
 public:
  template <class Get>
  Field(std::string_view name, Get get) {
    key = name;
    write_json(stored(get));
  }
  template <class Get>
  Field(std::string_view name, Unit of, Get get, std::string_view meaning = {})
      : Field(name, name, of, get, meaning) {}
  template <class Get>
  Field(std::string_view name, std::string_view heading, Unit of, Get get,
        std::string_view meaning = {}) {
    key = name;
    head(heading, of, meaning);
    write_json(stored(get));
    write_cells(stored(get));
  }
  template <class Get>
  Field(Shown /*tag*/, std::string_view heading, Unit of, Get get, std::string_view meaning = {}) {
    head(heading, of, meaning);
    write_cells(stored(get));
  }
  /// The value is one of the rows `of`, a list of them, or an optional of or a pointer to these.
  /// Their names are this row's, this row itself, or none.
  template <class Get, class Inner, class InnerNames>
  Field(std::string_view name, Get get, const Rows<Inner, InnerNames>& of) {
    key = name;
    write_rows(stored(get), of);
  }
  template <class Get>
  Field(Spliced /*tag*/, Get get) {
    presence = Presence::spliced;
    write_json(stored(get));
  }
  template <class Get, class Inner, class InnerNames>
  Field(Spliced /*tag*/, Get get, const Rows<Inner, InnerNames>& of) {
    presence = Presence::spliced;
    write_rows(stored(get), of);
  }

  template <class... Arguments>
  Field(IfKnown /*tag*/, std::string_view name, const Arguments&... arguments)
      : Field(name, arguments...) {
    presence = Presence::if_known;
  }

 private:
  /// A function's pointer in place of the function, so that there are few types. Not for
  /// functions that return references: clang 16 cannot convert such a lambda.
  template <class Result, class... Arguments, class Get>
  static auto pointer_to(Get get) {
    if constexpr (std::is_reference_v<Result>) {
      return get;
    } else {
      return static_cast<Result (*)(Arguments...)>(get);
    }
  }
  template <class Get>
  static auto plain(Get get) {
    if constexpr (!std::is_class_v<Get>) {
      return get;
    } else if constexpr (requires(const Row& row) { get(row); }) {
      return pointer_to<decltype(get(std::declval<const Row&>())), const Row&>(get);
    } else {
      return pointer_to<decltype(get(std::declval<const Row&>(), std::declval<const Names&>())),
                        const Row&, const Names&>(get);
    }
  }
  template <class Get>
  auto stored(Get get) {
    const auto it = plain(get);
    static_assert(sizeof it <= sizeof(Getter));
    std::memcpy(getter.bytes.data(), &it, sizeof it);
    return it;
  }
  template <class Get>
  using ValueOf = std::remove_cvref_t<decltype(value_in<Get, Row, Names>(
      std::declval<const AnyField&>(), nullptr, nullptr))>;

  void head(std::string_view heading, Unit of, std::string_view meaning) {
    title = heading;
    unit = of;
    explanation = meaning;
  }
  template <class Get>
  void write_json(Get /*stored*/) {
    schema = [](const AnyRows*) { return schema_of<ValueOf<Get>>(); };
    json = [](const AnyField& field, const void* row, const void* names) {
      return json_from<ValueOf<Get>>(value_in<Get, Row, Names>(field, row, names));
    };
  }
  template <class Get>
  void write_cells(Get /*stored*/) {
    cell = [](const AnyField& field, const void* row, const void* names) {
      return cell_of(value_in<Get, Row, Names>(field, row, names));
    };
  }
  template <class Get, class Inner, class InnerNames>
  void write_rows(Get stored, const Rows<Inner, InnerNames>& of);
};

template <class Row, class Names>
class Rows : public AnyRows {
 public:
  Rows(std::string_view id, std::string_view title, std::initializer_list<Field<Row, Names>> fields)
      : AnyRows(id, title, {fields.begin(), fields.end()}) {}
  /// Rows without a table.
  Rows(std::initializer_list<Field<Row, Names>> fields) : Rows({}, {}, fields) {}

  Json object(const Row& row, const Names& names) const { return object_of(&row, &names); }
  Json object(const Row& row) const
    requires std::same_as<Names, NoNames>
  {
    return object(row, NoNames{});
  }

  /// At most `at_most` rows, from the front of the range.
  template <class Range>
  Table table(Range&& range, const Names& names,
              std::size_t at_most = std::numeric_limits<std::size_t>::max()) const {
    Table table = empty_table();
    for (const Row& row : range) {
      if (table.rows.size() == at_most) break;
      table.rows.push_back(cells_of(&row, &names));
    }
    return table;
  }
  template <class Range>
    requires std::same_as<Names, NoNames>
  Table table(Range&& range, std::size_t at_most = std::numeric_limits<std::size_t>::max()) const {
    return table(range, NoNames{}, at_most);
  }
};

/// The schema of a value of type V that is made of rows of type Inner.
template <class V, class Inner>
Schema schema_of_rows(const AnyRows* rows) {
  if constexpr (std::is_convertible_v<const V&, const Inner&>) {
    return rows->schema();
  } else if constexpr (requires(const V& value) { *value; }) {
    Schema schema = schema_of_rows<std::remove_cvref_t<decltype(*std::declval<V>())>, Inner>(rows);
    schema.nullable = true;
    return schema;
  } else {
    return {.kind = Schema::Kind::array, .inner = {rows->schema()}};
  }
}

/// `object`: gives the JSON of one row.
template <class Inner, class V, class Object>
Json json_of_rows(const V& value, const Object& object) {
  if constexpr (std::is_convertible_v<const V&, const Inner&>) {
    return object(value);
  } else if constexpr (requires { *value; }) {
    return value ? json_of_rows<Inner>(*value, object) : Json(nullptr);
  } else {
    Json::Elements elements;
    for (const Inner& row : value) elements.push_back(object(row));
    return Json(std::move(elements));
  }
}

template <class Row, class Names>
template <class Get, class Inner, class InnerNames>
void Field<Row, Names>::write_rows(Get /*stored*/, const Rows<Inner, InnerNames>& of) {
  inner = &of;
  schema = schema_of_rows<ValueOf<Get>, Inner>;
  json = [](const AnyField& field, const void* row, const void* names) {
    const auto object = [&](const Inner& one) {
      const auto& rows = static_cast<const Rows<Inner, InnerNames>&>(*field.inner);
      if constexpr (std::is_same_v<InnerNames, Names>) {
        return rows.object(one, *static_cast<const Names*>(names));
      } else if constexpr (std::is_same_v<InnerNames, Row>) {
        return rows.object(one, *static_cast<const Row*>(row));
      } else {
        return rows.object(one);
      }
    };
    return json_of_rows<Inner>(value_in<Get, Row, Names>(field, row, names), object);
  };
}

/// The JSON of one of `rows`.
template <const auto& rows>
class JsonBy {
 public:
  template <class Row, class... Names>
  explicit JsonBy(const Row& row, const Names&... names) : json_(rows.object(row, names...)) {}

  operator const Json&() const { return json_; }

 private:
  Json json_;
};
/// For optional_of() and list_of().
template <const auto& rows>
inline constexpr auto kJsonBy =
    [](const auto& row, const auto&... names) { return JsonBy<rows>(row, names...); };
template <const auto& rows>
struct JsonTraits<JsonBy<rows>> {
  using Written = JsonBy<rows>;
  static Schema schema() { return rows.schema(); }
  static Json json(const JsonBy<rows>& value) { return value; }
};

// For tables whose columns depend on the data. The column must be there.
Column& column_named(Table& table, std::string_view name);
void remove_column(Table& table, std::string_view name);

}  // namespace slackline
