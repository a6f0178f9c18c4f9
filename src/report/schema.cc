#include "report/schema.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "report/json_tree.h"

namespace slackline {
namespace {

using Kind = Schema::Kind;

std::vector<Schema> alternatives_of(const Schema& schema) {
  return schema.kind == Kind::one_of ? schema.inner : std::vector{schema};
}

Schema with_members(Schema object, const Schema& more) {
  expects(more.kind == Kind::object && !more.nullable, "a schema of an object");
  for (const Schema& member : more.inner) {
    expects(std::ranges::find(object.inner, member.key, &Schema::key) == object.inner.end(),
            "a key that no other part has");
    object.inner.push_back(member);
  }
  return object;
}

std::string type_name(Kind kind) {
  switch (kind) {
    case Kind::any:
    case Kind::one_of:
      break;
    case Kind::boolean:
      return "boolean";
    case Kind::integer:
      return "integer";
    case Kind::number:
      return "number";
    case Kind::text:
      return "string";
    case Kind::array:
      return "array";
    case Kind::map:
    case Kind::object:
      return "object";
  }
  return {};
}

bool is_scalar(const Schema& schema) {
  return schema.kind == Kind::boolean || schema.kind == Kind::integer ||
         schema.kind == Kind::number || schema.kind == Kind::text;
}

/// "type": one name, or several in alphabetical order.
JsonTree types_of(const std::vector<Schema>& alternatives, bool nullable) {
  std::set<std::string> names;
  for (const Schema& schema : alternatives) {
    names.insert(type_name(schema.kind));
    // The writers have null for what is not a finite number.
    nullable = nullable || schema.nullable || schema.kind == Kind::number;
  }
  if (nullable) names.insert("null");
  if (names.size() == 1) return *names.begin();
  return names;
}

JsonTree tree_of(const Schema& schema);

JsonTree any_of(const Schema& schema) {
  if (std::ranges::all_of(schema.inner, is_scalar)) {
    return {{"type", types_of(schema.inner, schema.nullable)}};
  }
  JsonTree alternatives = JsonTree::array();
  for (const Schema& alternative : schema.inner) alternatives.push_back(tree_of(alternative));
  if (schema.nullable) alternatives.push_back({{"type", "null"}});
  return {{"anyOf", std::move(alternatives)}};
}

void add_properties(const Schema& object, JsonTree& tree) {
  tree["properties"] = JsonTree::object();
  tree["required"] = JsonTree::array();
  for (const Schema& member : object.inner) {
    tree["properties"][member.key] = tree_of(member);
    if (member.required) tree["required"].push_back(member.key);
  }
  tree["additionalProperties"] = false;
}

JsonTree tree_of(const Schema& schema) {
  if (schema.kind == Kind::any) return JsonTree::object();
  if (schema.kind == Kind::one_of) return any_of(schema);
  JsonTree tree{{"type", types_of({schema}, schema.nullable)}};
  if (schema.kind == Kind::array) tree["items"] = tree_of(schema.inner.front());
  if (schema.kind == Kind::map) tree["additionalProperties"] = tree_of(schema.inner.front());
  if (schema.kind == Kind::object) add_properties(schema, tree);
  return tree;
}

}  // namespace

Schema one_of(const std::vector<Schema>& alternatives) {
  Schema schema{.kind = Kind::one_of};
  for (const Schema& given : alternatives) {
    schema.nullable = schema.nullable || (given.kind == Kind::one_of && given.nullable);
    for (Schema& alternative : alternatives_of(given)) {
      if (std::ranges::find(schema.inner, alternative) != schema.inner.end()) continue;
      schema.inner.push_back(std::move(alternative));
    }
  }
  if (schema.inner.size() != 1) return schema;
  Schema only = std::move(schema.inner.front());
  only.nullable = only.nullable || schema.nullable;
  return only;
}

Schema merge_objects(const std::vector<Schema>& parts) {
  std::vector<Schema> merged{{.kind = Kind::object}};
  for (const Schema& part : parts) {
    std::vector<Schema> longer;
    for (const Schema& more : alternatives_of(part)) {
      for (const Schema& object : merged) longer.push_back(with_members(object, more));
    }
    merged = std::move(longer);
  }
  return one_of(merged);
}

Schema schema_of_object(std::span<const SchemaPart> parts) {
  std::vector<Schema> objects;
  for (const SchemaPart& part : parts) {
    Schema type = part.type();
    if (part.key != nullptr) {
      type.key = part.key;
      type.required = part.required;
      type = {.kind = Kind::object, .inner = {std::move(type)}};
    } else if (!part.required) {
      expects(type.kind == Kind::object, "a schema of an object");
      for (Schema& member : type.inner) member.required = false;
    }
    objects.push_back(std::move(type));
  }
  return merge_objects(objects);
}

std::string schema_text(const Schema& schema) {
  return tree_of(schema).dump();
}

}  // namespace slackline
