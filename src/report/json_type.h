#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "report/json.h"
#include "report/schema.h"

namespace slackline {

// JSON of C++ values, and the schemas of their types:
//
//   std::optional<T>          T or null
//   std::vector<T>            an array, whose elements are known even if there are none
//   JsonMap<T>                an object whose keys are data
//   std::variant<A, B>        A or B
//
// Objects are declared as rows (report/rows.h) or by the types of their members (report/object.h).

/// How values of a type are written: Written, the type that stands for all that are written alike;
/// schema(); json(value).
template <class T>
struct JsonTraits;

template <class T>
using WrittenAs = typename JsonTraits<std::remove_cvref_t<T>>::Written;

template <class T>
Schema schema_of() {
  return JsonTraits<T>::schema();
}

template <class T>
Json json_from(const T& value) {
  return JsonTraits<T>::json(value);
}

/// A type's schema; the address is the type's identity.
struct JsonType {
  Schema (*schema)();
};
template <class T>
inline constexpr JsonType kJsonType{&schema_of<T>};

template <class T, Schema::Kind Kind>
struct ScalarTraits {
  using Written = T;
  static Schema schema() { return {.kind = Kind}; }
  static Json json(T value) { return Json(std::move(value)); }
};
template <>
struct JsonTraits<bool> : ScalarTraits<bool, Schema::Kind::boolean> {};
template <>
struct JsonTraits<double> : ScalarTraits<double, Schema::Kind::number> {};
template <>
struct JsonTraits<std::string> : ScalarTraits<std::string, Schema::Kind::text> {};
template <class T>
  requires(std::integral<T> && !std::same_as<T, bool>)
struct JsonTraits<T> {
  using Written = std::int64_t;
  static Schema schema() { return {.kind = Schema::Kind::integer}; }
  static Json json(T value) { return Json(value); }
};
template <class T>
  requires std::convertible_to<T, std::string_view>
struct JsonTraits<T> : JsonTraits<std::string> {
  static Json json(std::string_view value) { return Json(value); }
};

template <class T>
struct JsonTraits<std::optional<T>> {
  using Written = std::optional<WrittenAs<T>>;
  static Schema schema() {
    Schema schema = schema_of<T>();
    schema.nullable = true;
    return schema;
  }
  static Json json(const std::optional<T>& value) {
    return value ? JsonTraits<T>::json(*value) : Json(nullptr);
  }
};

template <class List, class T>
struct ArrayTraits {
  using Written = std::vector<WrittenAs<T>>;
  static Schema schema() { return {.kind = Schema::Kind::array, .inner = {schema_of<T>()}}; }
  static Json json(const List& values) {
    Json::Elements elements;
    elements.reserve(values.size());
    for (const auto& value : values) elements.push_back(JsonTraits<T>::json(value));
    return Json(std::move(elements));
  }
};
template <class T>
struct JsonTraits<std::vector<T>> : ArrayTraits<std::vector<T>, T> {};
template <class T, std::size_t Size>
struct JsonTraits<std::array<T, Size>> : ArrayTraits<std::array<T, Size>, T> {};

template <class... T>
struct JsonTraits<std::variant<T...>> {
  using Written = std::variant<WrittenAs<T>...>;
  static Schema schema() { return one_of({schema_of<T>()...}); }
  static Json json(const std::variant<T...>& value) {
    return std::visit(
        [](const auto& held) { return JsonTraits<std::decay_t<decltype(held)>>::json(held); },
        value);
  }
};

/// Keys that are data, in the order in which they are written.
template <class T>
struct JsonMap {
  void add(std::string key, const T& value) {
    members.push_back({std::move(key), JsonTraits<T>::json(value)});
  }
  Json::Members members{};
};
template <class T>
struct JsonTraits<JsonMap<T>> {
  using Written = JsonMap<WrittenAs<T>>;
  static Schema schema() { return {.kind = Schema::Kind::map, .inner = {schema_of<T>()}}; }
  static Json json(const JsonMap<T>& map) { return JsonObjects::of(map.members); }
};

/// The value if something is so, else nothing: null.
template <class T>
std::optional<T> known_if(bool known, T value) {
  return known ? std::optional<T>(std::move(value)) : std::nullopt;
}
/// Nothing for an empty text: null.
inline std::optional<std::string> known_text(std::string text) {
  if (text.empty()) return std::nullopt;
  return text;
}

/// What `function` makes of what an optional or a pointer has; nothing of nothing: null.
template <class Optional, class Function>
auto optional_of(const Optional& value, Function function)
    -> std::optional<std::decay_t<decltype(function(*value))>> {
  if (!value) return std::nullopt;
  return function(*value);
}

/// What `function` makes of every element.
template <class Range, class Function>
auto list_of(const Range& range, Function function) {
  std::vector<std::decay_t<decltype(function(*std::begin(range)))>> list;
  for (const auto& element : range) list.push_back(function(element));
  return list;
}

}  // namespace slackline
