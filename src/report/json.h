#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace slackline {

class JsonPart;

/// What a command hands to scripts: null, a truth value, a number, text, an array or an object.
/// Only holds values, so that the many files which make results need not compile a JSON library;
/// that library (nlohmann-json, report/json.cc) writes and parses the text.
///
/// Braces make an object where every element is a pair that begins with text, else an array:
///   Json{{"ranks", 4}, {"names", Json::array()}}
/// Objects keep the order in which keys were added; looking one up is linear in their number. A key
/// that is given twice in braces keeps its first value. Asking for what a value does not hold (a
/// key that is not there, text of a number) is a broken contract.
class Json {
 public:
  struct Member;
  using Elements = std::vector<Json>;
  using Members = std::vector<Member>;
  using Variant = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double,
                               std::string, Elements, Members>;

  Json();
  Json(std::nullptr_t);
  Json(std::same_as<bool> auto truth) : Json(Truth{truth}) {}
  Json(std::signed_integral auto number) : Json(Signed{number}) {}
  template <std::unsigned_integral Number>
    requires(!std::same_as<Number, bool>)
  Json(Number number) : Json(Unsigned{number}) {}
  Json(double number);
  Json(const char* text);
  Json(std::string_view text);
  Json(std::string text);
  Json(std::initializer_list<JsonPart> parts);
  template <class Element>
  Json(const std::vector<Element>& elements) : Json(array()) {
    for (const Element& element : elements) push_back(element);
  }

  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  static Json array();
  static Json array(std::initializer_list<JsonPart> parts);
  static Json object();

  /// What it holds, for writers.
  const Variant& held() const { return value_; }

  bool is_null() const;
  bool is_string() const;
  bool is_array() const;
  bool is_object() const;

  /// The value of any number.
  double as_double() const;
  std::int64_t as_int() const;
  std::uint64_t as_unsigned() const;
  const std::string& as_string() const;

  /// The elements of an array.
  const Elements& elements() const;
  /// The members of an object, in order.
  const Members& members() const;
  /// Elements, members, 0 of null, else 1.
  std::size_t size() const;

  /// Null becomes an array.
  void push_back(Json element);
  Json& back();
  Json& at(std::size_t index);
  const Json& at(std::size_t index) const;
  // Templates, as the literal 0 is a null pointer, too.
  Json& operator[](std::integral auto index) { return at(static_cast<std::size_t>(index)); }
  const Json& operator[](std::integral auto index) const {
    return at(static_cast<std::size_t>(index));
  }

  /// Null becomes an object; a key that is not there is added, with null.
  Json& operator[](std::string_view key);
  const Json& operator[](std::string_view key) const;
  Json& operator[](const char* key) { return (*this)[std::string_view(key)]; }
  const Json& operator[](const char* key) const { return (*this)[std::string_view(key)]; }
  bool contains(std::string_view key) const;
  void erase(std::string_view key);
  /// Sets every member of the object `other`; null becomes an object.
  void update(const Json& other);

  /// Numbers are equal where their values are, whatever their type. Copies both; for tests.
  bool operator==(const Json& other) const;

 private:
  struct Truth {
    bool value;
  };
  struct Signed {
    std::int64_t value;
  };
  struct Unsigned {
    std::uint64_t value;
  };
  explicit Json(Truth truth);
  explicit Json(Signed number);
  explicit Json(Unsigned number);

  const Json* find(std::string_view key) const;

  Variant value_;
};

struct Json::Member {
  std::string key;
  Json value;
};

/// An element between braces: a list of Json would copy it. No Json is made of a JsonPart (NOLINT).
class JsonPart {
 public:
  template <class Value>
    requires std::constructible_from<Json, Value>
  JsonPart(Value&& v) : value_(std::forward<Value>(v)) {}  // NOLINT(*-reference-overload)
  JsonPart(std::initializer_list<JsonPart> parts) : value_(parts) {}

  const Json& value() const { return value_; }
  /// Leaves it empty.
  Json take() const { return std::move(value_); }

 private:
  mutable Json value_;
};

/// JSON in one line. What is not UTF-8 is replaced; not-a-number and infinities are null.
std::string json_text(const Json& json);
/// Throws std::exception when `text` is not JSON, or nested more than 200 deep.
Json parse_json(std::string_view text);

}  // namespace slackline
