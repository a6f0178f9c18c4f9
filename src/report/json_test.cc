#include "report/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace slackline {
namespace {

TEST(Json, braces_of_pairs_make_an_object_and_others_an_array) {
  EXPECT_EQ(json_text({{"a", 1}, {"b", {1, 2.5, "x", nullptr, true}}}),
            R"({"a":1,"b":[1,2.5,"x",null,true]})");
  EXPECT_EQ(json_text({{"a", 1}, {2, "b"}}), R"([["a",1],[2,"b"]])");
  EXPECT_EQ(json_text({{"a", {{"b", Json::array()}, {"c", Json::object()}}}}),
            R"({"a":{"b":[],"c":{}}})");
  EXPECT_EQ(json_text(Json::array({{"a", 1}})), R"([["a",1]])") << "a pair, but in an array";
  EXPECT_EQ(json_text({"deep"}), R"(["deep"])");
}

TEST(Json, keeps_the_order_of_keys_and_the_first_value_in_braces) {
  Json json{{"z", 1}, {"a", 2}, {"z", 3}};
  json["m"] = 4;
  json["a"] = 5;
  EXPECT_EQ(json_text(json), R"({"z":1,"a":5,"m":4})");
}

TEST(Json, holds_every_whole_number) {
  EXPECT_EQ(json_text({std::numeric_limits<std::int64_t>::min(),
                       std::numeric_limits<std::uint64_t>::max(), std::uint8_t{7}}),
            "[-9223372036854775808,18446744073709551615,7]");
}

TEST(Json, null_becomes_what_is_asked_of_it) {
  Json json;
  EXPECT_TRUE(json.is_null());
  json["rows"].push_back({{"n", 1}});
  json["rows"].push_back({{"n", 2}});
  json["rows"].back().update({{"m", 3}, {"n", 4}});
  EXPECT_EQ(json_text(json), R"({"rows":[{"n":1},{"n":4,"m":3}]})");
  json["rows"][1].erase("n");
  EXPECT_FALSE(json["rows"][1].contains("n"));
  EXPECT_EQ(json["rows"].size(), 2u);
}

TEST(Json, lists_become_arrays) {
  EXPECT_EQ(json_text(std::vector<std::vector<std::string>>{{"a"}, {}}), R"([["a"],[]])");
  EXPECT_EQ(json_text(std::vector<bool>{true, false}), "[true,false]");
}

TEST(Json, numbers_are_equal_by_value) {
  EXPECT_EQ(Json(3), Json(3u));
  EXPECT_EQ(Json(3), Json(3.0));
  EXPECT_NE(Json(3), Json("3"));
  EXPECT_EQ(Json({{"a", {1, 2}}}), parse_json(R"({"a": [1, 2]})"));
}

TEST(Json, reads_what_it_writes) {
  const Json json{{"text", "\"<\xC3\xA9\n"},
                  {"numbers", {-1, std::numeric_limits<std::uint64_t>::max(), 0.1}},
                  {"others", {nullptr, true, Json::array(), Json::object()}}};
  EXPECT_EQ(json_text(parse_json(json_text(json))), json_text(json));
  EXPECT_EQ(parse_json("7").as_int(), 7);
  EXPECT_EQ(parse_json("7").as_double(), 7.0);
  EXPECT_THROW(parse_json("{"), std::exception);
  EXPECT_THROW(parse_json(std::string(1'000'000, '[')), std::exception);
}

TEST(Json, what_is_no_number_is_null_and_what_is_no_utf8_replaced) {
  EXPECT_EQ(json_text({std::numeric_limits<double>::infinity(), "\xff"}),
            "[null,\"\xEF\xBF\xBD\"]");
}

TEST(Json, asking_for_what_is_not_held_is_a_broken_contract) {
  const Json json{{"a", 1}};
  EXPECT_THROW(json["b"], std::logic_error);
  EXPECT_THROW(json["a"].as_string(), std::logic_error);
  EXPECT_THROW(json.elements(), std::logic_error);
}

}  // namespace
}  // namespace slackline
