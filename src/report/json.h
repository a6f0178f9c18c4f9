#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace slackline {

/// What a command hands to scripts: null, a truth value, a number, text, an array or an object.
/// Only holds values, so that the many files which make results need not compile a JSON library;
/// that library (nlohmann-json, report/json.cc) writes and parses the text.
///
/// It cannot be changed, and copies share what arrays and objects hold. Rows (report/rows.h)
/// and types that know their keys (report/object.h) make objects, and parse_json() what a text
/// says. Objects keep the order of their keys; looking one up is linear in their number. Asking for
/// what a value does not hold (a key that is not there, text of a number) is a broken contract.
class Json {
 public:
  struct Member;
  using Elements = std::vector<Json>;
  using Members = std::vector<Member>;
  using ElementsPtr = std::shared_ptr<const Elements>;
  using MembersPtr = std::shared_ptr<const Members>;
  using Variant = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double,
                               std::string, ElementsPtr, MembersPtr>;

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
  Json(Elements elements);

  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  /// What it holds, for writers.
  const Variant& held() const { return value_; }

  bool is_null() const;
  bool is_string() const;
  bool is_array() const;
  bool is_object() const;

  bool as_bool() const;
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

  const Json& at(std::size_t index) const;
  // A template, as the literal 0 is a null pointer, too.
  const Json& operator[](std::integral auto index) const {
    return at(static_cast<std::size_t>(index));
  }
  const Json& operator[](std::string_view key) const;
  const Json& operator[](const char* key) const { return (*this)[std::string_view(key)]; }
  bool contains(std::string_view key) const;

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
  friend struct JsonObjects;
  explicit Json(Members members);
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

/// Makes objects: for report/rows.h, object.h and json_type.h, which know the keys, and for
/// parsers.
struct JsonObjects {
  static Json of(Json::Members members) { return Json(std::move(members)); }
};

/// A part of an object: a member, or all members of another object.
struct ObjectPart {
  const char* key = nullptr;    ///< null: the members of the value
  const Json* value = nullptr;  ///< null: nothing
};
Json object_of(std::initializer_list<ObjectPart> parts);

/// JSON in one line. What is not UTF-8 is replaced; not-a-number and infinities are null.
std::string json_text(const Json& json);
/// Throws std::exception when `text` is not JSON, or nested more than 200 deep.
Json parse_json(std::string_view text);

}  // namespace slackline
