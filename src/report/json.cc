#include "report/json.h"

#include <algorithm>

#include "base/error.h"
#include "report/json_tree.h"
#include "report/unicode.h"

namespace slackline {
namespace {

template <class Alternative>
const Alternative& alternative_of(const Json::Variant& value, const char* what) {
  const auto* alternative = std::get_if<Alternative>(&value);
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

JsonTree tree_of(const Json::ElementsPtr& elements) {
  JsonTree tree = JsonTree::array();
  for (const Json& element : *elements) tree.push_back(json_tree(element));
  return tree;
}

JsonTree tree_of(const Json::MembersPtr& members) {
  JsonTree tree = JsonTree::object();
  for (const Json::Member& member : *members) tree.emplace(member.key, json_tree(member.value));
  return tree;
}

/// In lines.
bool is_printable(std::string_view text) {
  for (std::size_t at; (at = printable_prefix(text)) < text.size(); text.remove_prefix(at + 1)) {
    if (text[at] != '\n') return false;
  }
  return true;
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
Json::Json(Elements elements) : value_(std::make_shared<const Elements>(std::move(elements))) {}
Json::Json(Members members) : value_(std::make_shared<const Members>(std::move(members))) {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

bool Json::is_null() const {
  return std::holds_alternative<std::monostate>(value_);
}
bool Json::is_string() const {
  return std::holds_alternative<std::string>(value_);
}
bool Json::is_array() const {
  return std::holds_alternative<ElementsPtr>(value_);
}
bool Json::is_object() const {
  return std::holds_alternative<MembersPtr>(value_);
}

bool Json::as_bool() const {
  return alternative_of<bool>(value_, "a JSON truth value");
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
  return *alternative_of<ElementsPtr>(value_, "a JSON array");
}
const Json::Members& Json::members() const {
  return *alternative_of<MembersPtr>(value_, "a JSON object");
}

std::size_t Json::size() const {
  if (is_array()) return elements().size();
  if (is_object()) return members().size();
  return is_null() ? 0 : 1;
}

const Json& Json::at(std::size_t index) const {
  return elements().at(index);
}

const Json* Json::find(std::string_view key) const {
  const auto member = std::ranges::find(members(), key, &Member::key);
  return member == members().end() ? nullptr : &member->value;
}

const Json& Json::operator[](std::string_view key) const {
  const Json* value = find(key);
  expects(value != nullptr, "a key of the JSON object");
  return *value;
}

bool Json::contains(std::string_view key) const {
  return is_object() && find(key) != nullptr;
}

bool Json::operator==(const Json& other) const {
  return json_tree(*this) == json_tree(other);
}

JsonTree json_tree(const Json& json) {
  return std::visit([](const auto& value) { return tree_of(value); }, json.held());
}

Json from_json_tree(const JsonTree& tree) {
  if (tree.is_array()) {
    Json::Elements elements;
    for (const JsonTree& element : tree) elements.push_back(from_json_tree(element));
    return elements;
  }
  if (tree.is_object()) {
    Json::Members members;
    for (const auto& [key, value] : tree.items()) members.push_back({key, from_json_tree(value)});
    return JsonObjects::of(std::move(members));
  }
  if (tree.is_string()) return tree.get<std::string>();
  if (tree.is_boolean()) return tree.get<bool>();
  if (tree.is_number_unsigned()) return tree.get<std::uint64_t>();
  if (tree.is_number_integer()) return tree.get<std::int64_t>();
  if (tree.is_number_float()) return tree.get<double>();
  return nullptr;
}

std::string dumped(const JsonTree& tree, int indent) {
  const auto dump = [&](bool ascii) {
    return tree.dump(indent, ' ', ascii, JsonTree::error_handler_t::replace);
  };
  std::string text = dump(false);
  // JSON allows characters that a terminal obeys, such as U+009B.
  return is_printable(text) ? text : dump(true);
}

Json object_of(std::initializer_list<ObjectPart> parts) {
  Json::Members members;
  for (const auto& [key, value] : parts) {
    if (value == nullptr) continue;
    if (key != nullptr) {
      members.push_back({key, *value});
    } else {
      members.insert(members.end(), value->members().begin(), value->members().end());
    }
  }
  return JsonObjects::of(std::move(members));
}

std::string json_text(const Json& json) {
  return dumped(json_tree(json), -1);
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
