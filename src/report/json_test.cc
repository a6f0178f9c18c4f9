#include "report/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace slackline {
namespace {

TEST(Json, keeps_the_order_of_keys) {
  EXPECT_EQ(json_text(parse_json(R"({"z": 1, "a": [1, 2.5, "x", null, true], "m": {}})")),
            R"({"z":1,"a":[1,2.5,"x",null,true],"m":{}})");
}

TEST(Json, holds_every_whole_number) {
  EXPECT_EQ(json_text(Json::Elements{std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::uint64_t>::max(), std::uint8_t{7}}),
            "[-9223372036854775808,18446744073709551615,7]");
}

TEST(Json, numbers_are_equal_by_value) {
  EXPECT_EQ(Json(3), Json(3u));
  EXPECT_EQ(Json(3), Json(3.0));
  EXPECT_NE(Json(3), Json("3"));
  EXPECT_EQ(Json(Json::Elements{1, 2}), parse_json("[1, 2]"));
}

TEST(Json, reads_what_it_writes) {
  const std::string text = R"({"text":"\"<\u00e9\n","numbers":[-1,18446744073709551615,0.1],)"
                           R"("others":[null,true,[],{}]})";
  EXPECT_EQ(parse_json(json_text(parse_json(text))), parse_json(text));
  EXPECT_EQ(parse_json("7").as_int(), 7);
  EXPECT_EQ(parse_json("7").as_double(), 7.0);
  EXPECT_THROW(parse_json("{"), std::exception);
  EXPECT_THROW(parse_json(std::string(1'000'000, '[')), std::exception);
}

TEST(Json, what_is_no_number_is_null_and_what_is_no_utf8_replaced) {
  EXPECT_EQ(json_text(Json::Elements{std::numeric_limits<double>::infinity(), "\xff"}),
            "[null,\"\xEF\xBF\xBD\"]");
}

TEST(Json, holds_control_characters_as_escapes) {
  const std::string hostile = "\x1b[2J \x7f \xc2\x9b \xe2\x80\xae \xc3\xa4";
  EXPECT_EQ(json_text(hostile), R"("\u001b[2J \u007f \u009b \u202e \u00e4")");
  EXPECT_EQ(parse_json(json_text(hostile)).as_string(), hostile);
  EXPECT_EQ(json_text("\xc3\xa4"), "\"\xc3\xa4\"");
}

TEST(Json, asking_for_what_is_not_held_is_a_broken_contract) {
  const Json json = parse_json(R"({"a": 1})");
  EXPECT_THROW(json["b"], std::logic_error);
  EXPECT_THROW(json["a"].as_string(), std::logic_error);
  EXPECT_THROW(json.elements(), std::logic_error);
}

}  // namespace
}  // namespace slackline
