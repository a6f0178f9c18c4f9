#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "report/json_type.h"

namespace slackline {

// JSON whose C++ type is its schema. Commands build what they say for scripts as
//
//   Object{"pattern"_key = p.name, "time_ns"_key = p.time_ns, "worst"_key = worst(p)}
//
// and no key can be written that is not in the type, so doc/schema is what the types say, whatever
// a run happens to contain.
//
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

/// A key that may be missing.
template <class T>
struct Absent;

/// A part of an Object: one key with its value, if it is there.
struct AnyMember {
  const char* key;
  Json value;
  bool there = true;
};
/// The type of its value is T, or T where it is there: Absent<T>.
template <FixedString Key, class T>
struct JsonMember : AnyMember {};

template <FixedString Key>
struct KeyName {
  template <class T>
  JsonMember<Key, WrittenAs<T>> operator=(const T& value) const {
    return {{Key.text, JsonTraits<T>::json(value)}};
  }
  template <class T>
  JsonMember<Key, Absent<WrittenAs<T>>> when(std::same_as<bool> auto there, const T& value) const {
    return {{Key.text, there ? JsonTraits<T>::json(value) : Json(), there}};
  }
  /// Only if there is a value.
  template <class T>
  JsonMember<Key, Absent<WrittenAs<T>>> when(const std::optional<T>& value) const {
    return {{Key.text, JsonTraits<std::optional<T>>::json(value), value.has_value()}};
  }
};
template <FixedString Key>
constexpr KeyName<Key> operator""_key() {
  return {};
}

/// What a part of an Object says of its schema: a key, or all members of another object.
template <class Part>
struct PartTraits {
  static constexpr SchemaPart kSchema{nullptr, schema_of<Part>};
  static ObjectPart part(const Part& part) { return {nullptr, &static_cast<const Json&>(part)}; }
};
template <class Part>
struct PartTraits<std::optional<Part>> {
  static constexpr SchemaPart kSchema{nullptr, schema_of<Part>, false};
  static ObjectPart part(const std::optional<Part>& part) {
    return part ? PartTraits<Part>::part(*part) : ObjectPart{};
  }
};
template <class... Part>
struct PartTraits<std::variant<Part...>> {
  static constexpr SchemaPart kSchema{nullptr, schema_of<std::variant<Part...>>};
  static ObjectPart part(const std::variant<Part...>& part) {
    return std::visit(
        [](const auto& held) { return PartTraits<std::decay_t<decltype(held)>>::part(held); },
        part);
  }
};
template <FixedString Key, class T>
struct PartTraits<JsonMember<Key, T>> {
  static constexpr SchemaPart kSchema{Key.text, schema_of<T>};
  static ObjectPart part(const AnyMember& member) { return {member.key, &member.value}; }
};
template <FixedString Key, class T>
struct PartTraits<JsonMember<Key, Absent<T>>> {
  static constexpr SchemaPart kSchema{Key.text, schema_of<T>, false};
  static ObjectPart part(const AnyMember& member) {
    return {member.key, member.there ? &member.value : nullptr};
  }
};

/// An object whose keys and their types are its own type.
template <class... Parts>
class Object {
 public:
  Object(const Parts&... parts) : json_(object_of({PartTraits<Parts>::part(parts)...})) {}

  operator const Json&() const { return json_; }

 private:
  Json json_;
};
template <class... Parts>
struct JsonTraits<Object<Parts...>> {
  using Written = Object<Parts...>;
  static Schema schema() { return schema_of_object(kParts); }
  static Json json(const Object<Parts...>& object) { return object; }

 private:
  static constexpr std::array<SchemaPart, sizeof...(Parts)> kParts{PartTraits<Parts>::kSchema...};
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

}  // namespace slackline
