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

#include "base/error.h"
#include "report/json.h"
#include "report/schema.h"

namespace slackline {

// JSON whose C++ type is its schema. Commands build what they say for scripts as
//
//   Object{"pattern"_key = p.name, "time_ns"_key = p.time_ns, "worst"_key = worst(p)}
//
// and no key can be written that is not in the type, so doc/schema is what the types say, whatever
// a run happens to contain.
//
//   std::optional<T>          T or null
//   std::vector<T>            an array, whose elements are known even if there are none
//   JsonMap<T>                an object whose keys are data
//   std::variant<A, B>        A or B
//   "k"_key.when(there, v)    a key that may be missing; also of an optional value
//   Object{other, "k"_key=v}  the members of `other`, then k; of an optional one: maybe
//   JsonOf<struct Tag>        a type that stands in one source file: what headers declare

/// Text as a template argument.
template <std::size_t Size>
struct FixedString {
  consteval FixedString(const char (&literal)[Size]) {
    for (std::size_t i = 0; i < Size; ++i) text[i] = literal[i];
  }
  char text[Size]{};
};

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

/// A key that may be missing.
template <class T>
struct Absent;

/// A part of an Object: one key. The type of its value is T, or T where it is there: Absent<T>.
template <FixedString Key, class T>
struct JsonMember {
  static Schema schema() {
    Schema schema = schema_of<T>();
    schema.key = Key.text;
    return schema;
  }
  void add_to(Json::Members& members) && { members.push_back({Key.text, std::move(value)}); }

  Json value;
};
template <FixedString Key, class T>
struct JsonMember<Key, Absent<T>> {
  static Schema schema() {
    Schema schema = JsonMember<Key, T>::schema();
    schema.required = false;
    return schema;
  }
  void add_to(Json::Members& members) && {
    if (value) members.push_back({Key.text, std::move(*value)});
  }

  std::optional<Json> value;
};

template <FixedString Key>
struct KeyName {
  template <class T>
  JsonMember<Key, WrittenAs<T>> operator=(const T& value) const {
    return {JsonTraits<T>::json(value)};
  }
  template <class T>
  JsonMember<Key, Absent<WrittenAs<T>>> when(std::same_as<bool> auto there, const T& value) const {
    return {there ? std::optional(JsonTraits<T>::json(value)) : std::nullopt};
  }
  /// Only if there is a value.
  template <class T>
  JsonMember<Key, Absent<WrittenAs<T>>> when(const std::optional<T>& value) const {
    return {value ? std::optional(JsonTraits<T>::json(*value)) : std::nullopt};
  }
};
template <FixedString Key>
constexpr KeyName<Key> operator""_key() {
  return {};
}

/// How a part of an Object adds to its schema and its members: all members of another object.
template <class Part>
struct PartTraits {
  static Schema schema() { return schema_of<Part>(); }
  static void add(Part part, Json::Members& members) {
    const Json json = JsonTraits<Part>::json(part);
    members.insert(members.end(), json.members().begin(), json.members().end());
  }
};
template <class Part>
struct PartTraits<std::optional<Part>> {
  static Schema schema() { return optional_members(schema_of<Part>()); }
  static void add(std::optional<Part> part, Json::Members& members) {
    if (part) PartTraits<Part>::add(std::move(*part), members);
  }
};
template <FixedString Key, class T>
struct PartTraits<JsonMember<Key, T>> {
  static Schema schema() {
    return {.kind = Schema::Kind::object, .inner = {JsonMember<Key, T>::schema()}};
  }
  static void add(JsonMember<Key, T> part, Json::Members& members) {
    std::move(part).add_to(members);
  }
};

/// An object whose keys and their types are its own type.
template <class... Parts>
class Object {
 public:
  Object(Parts... parts) {
    Json::Members members;
    (PartTraits<Parts>::add(std::move(parts), members), ...);
    json_ = JsonObjects::of(std::move(members));
  }

  operator const Json&() const { return json_; }

 private:
  Json json_;
};
template <class... Parts>
struct JsonTraits<Object<Parts...>> {
  using Written = Object<Parts...>;
  static Schema schema() { return merge_objects({PartTraits<Parts>::schema()...}); }
  static Json json(const Object<Parts...>& object) { return object; }
};

/// JSON of a type that stands in one source file. The header that declares
///   using FactorsJson = JsonOf<struct FactorsTag>;
///   const JsonType& declared_type(const FactorsTag*);
/// needs nothing else of it; the file defines the latter as json_type_by<function> of what builds
/// it, and only a value of that type becomes a FactorsJson.
template <class Tag>
class JsonOf {
 public:
  template <class Value>
    requires(!std::same_as<Value, JsonOf>)
  JsonOf(const Value& value) : json_(JsonTraits<Value>::json(value)) {
    expects(&kJsonType<WrittenAs<Value>> == &type(), "a value of the declared type");
  }

  operator const Json&() const { return json_; }
  static const JsonType& type() { return declared_type(static_cast<const Tag*>(nullptr)); }

 private:
  Json json_;
};
template <class Tag>
struct JsonTraits<JsonOf<Tag>> {
  using Written = JsonOf<Tag>;
  static Schema schema() { return JsonOf<Tag>::type().schema(); }
  static Json json(const JsonOf<Tag>& value) { return value; }
};

template <class Value, class... Arguments>
Value returned_by(Value (*)(Arguments...));
/// What a function returns.
template <auto Function>
using ReturnedBy = decltype(returned_by(Function));
/// The type of what a function returns.
template <auto Function>
constexpr const JsonType& json_type_by() {
  return kJsonType<WrittenAs<ReturnedBy<Function>>>;
}

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
