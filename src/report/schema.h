#pragma once

#include <span>
#include <string>
#include <vector>

namespace slackline {

/// What JSON of one C++ type may look like, as far as the files of doc/schema say it. Derived from
/// types (report/json_type.h, object.h) and rows (report/rows.h).
struct Schema {
  enum class Kind { any, boolean, integer, number, text, array, map, object, one_of };

  Kind kind = Kind::any;
  bool nullable = false;
  /// Array, map: what each element is. Object: the members. One of: the alternatives.
  std::vector<Schema> inner{};
  std::string key{};     ///< of a member
  bool required = true;  ///< whether the member is always there

  bool operator==(const Schema& other) const = default;
};

/// A part of an object's type: a member, or all members of another object.
struct SchemaPart {
  const char* key;  ///< null: the members of the type, which is an object or one of several
  Schema (*type)();
  bool required = true;  ///< whether the key, or the other object, is always there
};

/// The alternatives without duplicates; a single one is itself.
Schema one_of(const std::vector<Schema>& alternatives);
/// An object with the members of all parts, each of which is an object or one of several. No key
/// may be in two parts.
Schema merge_objects(const std::vector<Schema>& parts);
/// The same of parts.
Schema schema_of_object(std::span<const SchemaPart> parts);

/// In the words of JSON Schema 2020-12, in one line.
std::string schema_text(const Schema& schema);

}  // namespace slackline
