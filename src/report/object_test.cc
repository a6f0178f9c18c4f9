#include "report/object.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "report/typed_report.h"

namespace slackline {

using PointJson = JsonOf<struct PointTag>;
const JsonType& declared_type(const PointTag*);

namespace {

auto point(double x) {
  return Object{"x"_key = x};
}

template <class T>
std::string schema_of_value(const T&) {
  return schema_text(schema_of<T>());
}

TEST(Object, KeepsTheOrderOfItsKeys) {
  const Object object{"b"_key = 1, "a"_key = "text", "c"_key = std::vector<double>{0.5}};
  EXPECT_EQ(json_text(object), R"({"b":1,"a":"text","c":[0.5]})");
}

TEST(Object, WritesNothingAsNullOrNotAtAll) {
  const std::optional<int> none;
  const Object object{"null"_key = none, "missing"_key.when(none), "left_out"_key.when(false, 1),
                      "there"_key.when(true, 2), "value"_key.when(std::optional(3))};
  EXPECT_EQ(json_text(object), R"({"null":null,"there":2,"value":3})");
}

TEST(Object, IsItsSchema) {
  const Object object{"flag"_key = true, "count"_key = std::uint8_t{1}, "name"_key.when(true, 1)};
  EXPECT_EQ(
      schema_of_value(object),
      R"({"type":"object","properties":{"flag":{"type":"boolean"},"count":{"type":"integer"},)"
      R"("name":{"type":"integer"}},"required":["flag","count"],"additionalProperties":false})");
}

// The writers have null for not-a-number and infinities.
TEST(Object, NumbersMayBeNull) {
  EXPECT_EQ(json_text(Object{"x"_key = std::nan("")}), R"({"x":null})");
  EXPECT_EQ(schema_text(schema_of<double>()), R"({"type":["null","number"]})");
}

// What a run happens to contain has no part in it.
TEST(Object, KnowsElementsOfEmptyArraysAndAbsentObjects) {
  const std::vector<decltype(point(0))> none;
  const Object object{"points"_key = none, "best"_key = std::optional<decltype(point(0))>()};
  EXPECT_EQ(schema_of_value(object),
            R"({"type":"object","properties":{"points":{"type":"array","items":{"type":"object",)"
            R"("properties":{"x":{"type":["null","number"]}},"required":["x"],)"
            R"("additionalProperties":false}},"best":{"type":["null","object"],)"
            R"("properties":{"x":{"type":["null","number"]}},"required":["x"],)"
            R"("additionalProperties":false}},"required":["points","best"],)"
            R"("additionalProperties":false})");
}

TEST(Object, ValuesThatAreKnownOrNot) {
  const auto twice = [](int x) { return 2 * x; };
  EXPECT_EQ(known_text("text"), "text");
  EXPECT_EQ(known_text(""), std::nullopt);
  EXPECT_EQ(known_if(true, 1), 1);
  EXPECT_EQ(known_if(false, 1), std::nullopt);
  EXPECT_EQ(optional_of(std::optional(3), twice), 6);
  EXPECT_EQ(optional_of(std::optional<int>(), twice), std::nullopt);
  EXPECT_EQ(list_of(std::vector{1, 2}, twice), (std::vector{2, 4}));
}

TEST(Object, TakesTheMembersOfOthers) {
  const Object object{point(1), "y"_key = 2};
  EXPECT_EQ(json_text(object), R"({"x":1.0,"y":2})");
  const Object maybe{std::optional<decltype(point(0))>(), "y"_key = 2};
  EXPECT_EQ(json_text(maybe), R"({"y":2})");
  EXPECT_EQ(schema_of_value(maybe),
            R"({"type":"object","properties":{"x":{"type":["null","number"]},)"
            R"("y":{"type":"integer"}},"required":["y"],"additionalProperties":false})");
}

TEST(Object, HasAlternatives) {
  using Threshold = std::variant<std::string, std::uint64_t>;
  const Object object{"S"_key = Threshold("unlimited")};
  EXPECT_EQ(json_text(object), R"({"S":"unlimited"})");
  EXPECT_EQ(schema_text(schema_of<Threshold>()), R"({"type":["integer","string"]})");
  using OneOrMore = std::variant<decltype(point(0)), std::vector<decltype(point(0))>>;
  EXPECT_EQ(schema_of<OneOrMore>().inner.size(), 2u);
}

TEST(Object, MembersOfAlternativesAreAlternatives) {
  using Run = std::variant<decltype(point(0)), decltype(Object{"speed"_key = 1})>;
  const Object object{Run(point(0)), "ranks"_key = 4};
  EXPECT_EQ(json_text(object), R"({"x":0.0,"ranks":4})");
  const Schema schema = schema_of<std::decay_t<decltype(object)>>();
  ASSERT_EQ(schema.kind, Schema::Kind::one_of);
  EXPECT_EQ(schema.inner[1].inner[0].key, "speed");
  EXPECT_EQ(schema.inner[1].inner[1].key, "ranks");
}

TEST(Object, AKeyStandsOnce) {
  const Object twice{point(1), "x"_key = 2};
  EXPECT_THROW(schema_of_value(twice), std::logic_error);
}

TEST(JsonMap, HasKeysThatAreData) {
  JsonMap<double> map;
  map.add("late sender", 1.5);
  EXPECT_EQ(json_text(Object{"times"_key = map}), R"({"times":{"late sender":1.5}})");
  EXPECT_EQ(schema_of_value(map),
            R"({"type":"object","additionalProperties":{"type":["null","number"]}})");
}

TEST(JsonOf, IsOnlyMadeOfTheDeclaredType) {
  EXPECT_EQ(json_text(PointJson(point(1))), R"({"x":1.0})");
  EXPECT_EQ(schema_of<PointJson>(), schema_of<decltype(point(1))>());
  EXPECT_THROW(PointJson(Object{"y"_key = 1.0}), std::logic_error);
}

TEST(CommandReports, HaveTheSchemasOfAll) {
  using First = TypedReport<decltype(point(0)), PointJson, PointJson>;
  using Second = TypedReport<decltype(point(0)), PointJson, decltype(Object{"y"_key = 1})>;
  using Reports = CommandReports<First, Second>;
  EXPECT_EQ(Reports::schema().options, schema_of<PointJson>());
  EXPECT_EQ(Reports::schema().result.inner.size(), 2u);
  const Report report =
      Reports::untyped(First{"info", "info: x", point(1), point(2), {PointJson(point(3))}});
  EXPECT_EQ(report.command, "info");
  EXPECT_EQ(json_text(report.result), R"({"x":3.0})");
}

}  // namespace

const JsonType& declared_type(const PointTag*) {
  return json_type_by<point>();
}

}  // namespace slackline
