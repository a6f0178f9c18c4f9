#include "report/json.h"

#include <algorithm>

#include "base/error.h"
#include "report/json_tree.h"

namespace slackline {
namespace {

bool is_member(const JsonPart& part) {
  const Json& pair = part.value();
  return pair.is_array() && pair.size() == 2 && pair[0].is_string();
}

template <class Alternative, class Variant>
auto& alternative_of(Variant& value, const char* what) {
  auto* alternative = std::get_if<Alternative>(&value);
  expects(alternative != nullptr, what);
  return *alternative;
}

JsonTree tree_of(std::monostate) {
  return nullptr;
}

template <class Value>
JsonTree tree_of(const Value& value) {
  return value;
}

JsonTree tree_of(const Json::Elements& elements) {
  JsonTree tree = JsonTree::array();
  for (const Json& element : elements) tree.push_back(json_tree(element));
  return tree;
}

JsonTree tree_of(const Json::Members& members) {
  JsonTree tree = JsonTree::object();
  for (const Json::Member& member : members) tree.emplace(member.key, json_tree(member.value));
  return tree;
}

}  // namespace

Json::Json() = default;
Json::Json(std::nullptr_t) {}
Json::Json(Truth truth) : value_(truth.value) {}
Json::Json(Signed number) : value_(number.value) {}
Json::Json(Unsigned number) : value_(number.value) {}
Json::Json(double number) : value_(number) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json::Json(std::initializer_list<JsonPart> parts) {
  if (!std::ranges::all_of(parts, is_member)) {
    *this = array(parts);
    return;
  }
  Members members;
  members.reserve(parts.size());
  for (const JsonPart& part : parts) {
    Json pair = part.take();
    auto& both = std::get<Elements>(pair.value_);
    std::string& key = std::get<std::string>(both[0].value_);
    if (std::ranges::find(members, key, &Member::key) == members.end()) {
      members.push_back({std::move(key), std::move(both[1])});
    }
  }
  value_ = std::move(members);
}

Json Json::array() {
  Json json;
  json.value_ = Elements();
  return json;
}

Json Json::array(std::initializer_list<JsonPart> parts) {
  Elements elements;
  elements.reserve(parts.size());
  for (const JsonPart& part : parts) elements.push_back(part.take());
  Json json;
  json.value_ = std::move(elements);
  return json;
}

Json Json::object() {
  Json json;
  json.value_ = Members();
  return json;
}

bool Json::is_null() const {
  return std::holds_alternative<std::monostate>(value_);
}
bool Json::is_string() const {
  return std::holds_alternative<std::string>(value_);
}
bool Json::is_array() const {
  return std::holds_alternative<Elements>(value_);
}
bool Json::is_object() const {
  return std::holds_alternative<Members>(value_);
}

double Json::as_double() const {
  if (const auto* number = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*number);
  return alternative_of<double>(value_, "a JSON number");
}

std::int64_t Json::as_int() const {
  if (const auto* number = std::get_if<std::uint64_t>(&value_)) {
    return static_cast<std::int64_t>(*number);
  }
  return alternative_of<std::int64_t>(value_, "a whole JSON number");
}

std::uint64_t Json::as_unsigned() const {
  if (const auto* number = std::get_if<std::int64_t>(&value_)) {
    return static_cast<std::uint64_t>(*number);
  }
  return alternative_of<std::uint64_t>(value_, "a whole JSON number");
}

const std::string& Json::as_string() const {
  return alternative_of<std::string>(value_, "JSON text");
}
const Json::Elements& Json::elements() const {
  return alternative_of<Elements>(value_, "a JSON array");
}
const Json::Members& Json::members() const {
  return alternative_of<Members>(value_, "a JSON object");
}

std::size_t Json::size() const {
  if (is_array()) return elements().size();
  if (is_object()) return members().size();
  return is_null() ? 0 : 1;
}

void Json::push_back(Json element) {
  if (is_null()) value_ = Elements();
  alternative_of<Elements>(value_, "a JSON array").push_back(std::move(element));
}

Json& Json::back() {
  return alternative_of<Elements>(value_, "a JSON array").back();
}

Json& Json::at(std::size_t index) {
  return alternative_of<Elements>(value_, "a JSON array").at(index);
}

const Json& Json::at(std::size_t index) const {
  return elements().at(index);
}

const Json* Json::find(std::string_view key) const {
  const auto member = std::ranges::find(members(), key, &Member::key);
  return member == members().end() ? nullptr : &member->value;
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Members();
  auto& members = alternative_of<Members>(value_, "a JSON object");
  const auto member = std::ranges::find(members, key, &Member::key);
  if (member != members.end()) return member->value;
  return members.emplace_back(std::string(key), Json()).value;
}

const Json& Json::operator[](std::string_view key) const {
  const Json* value = find(key);
  expects(value != nullptr, "a key of the JSON object");
  return *value;
}

bool Json::contains(std::string_view key) const {
  return is_object() && find(key) != nullptr;
}

void Json::erase(std::string_view key) {
  std::erase_if(alternative_of<Members>(value_, "a JSON object"),
                [&](const Member& member) { return member.key == key; });
}

void Json::update(const Json& other) {
  if (is_null()) value_ = Members();
  for (const Member& member : other.members()) (*this)[member.key] = member.value;
}

bool Json::operator==(const Json& other) const {
  return json_tree(*this) == json_tree(other);
}

JsonTree json_tree(const Json& json) {
  return std::visit([](const auto& value) { return tree_of(value); }, json.held());
}

Json from_json_tree(const JsonTree& tree) {
  if (tree.is_array()) {
    Json json = Json::array();
    for (const JsonTree& element : tree) json.push_back(from_json_tree(element));
    return json;
  }
  if (tree.is_object()) {
    Json json = Json::object();
    for (const auto& [key, value] : tree.items()) json[key] = from_json_tree(value);
    return json;
  }
  if (tree.is_string()) return tree.get<std::string>();
  if (tree.is_boolean()) return tree.get<bool>();
  if (tree.is_number_unsigned()) return tree.get<std::uint64_t>();
  if (tree.is_number_integer()) return tree.get<std::int64_t>();
  if (tree.is_number_float()) return tree.get<double>();
  return nullptr;
}

std::string json_text(const Json& json) {
  return json_tree(json).dump(-1, ' ', false, JsonTree::error_handler_t::replace);
}

Json parse_json(std::string_view text) {
  constexpr int kDeepest = 200;  // what follows calls itself for each level
  const auto check_depth = [](int depth, JsonTree::parse_event_t, JsonTree&) {
    if (depth > kDeepest) throw std::runtime_error("JSON is nested too deeply");
    return true;
  };
  return from_json_tree(JsonTree::parse(text, check_depth));
}

}  // namespace slackline
