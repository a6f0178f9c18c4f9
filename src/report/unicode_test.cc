#include "report/unicode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slackline {
namespace {

using testing::ElementsAre;

TEST(Unicode, printable_replaces_what_is_not_utf8) {
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(printable("\xc3("), "\xEF\xBF\xBD(");                // a lead byte without its second
  EXPECT_EQ(printable("\xe2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // cut in the middle
  EXPECT_EQ(printable("\xc0\xaf"), "\xEF\xBF\xBD\xEF\xBF\xBD");  // overlong '/'
  EXPECT_EQ(printable("\xed\xa0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // surrogate
  EXPECT_EQ(printable("größe λ 漢字 🚀"), "größe λ 漢字 🚀");
}

TEST(Unicode, printable_lets_no_control_character_through) {
  EXPECT_EQ(printable("a\x1b[31mb\x07\r\n\tc\x7f"), "a [31mb    c ");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            " 31m");  // C1 control sequence introducer
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a b");  // right-to-left override
}

TEST(Unicode, printable_lines_keeps_line_ends_only) {
  EXPECT_EQ(printable_lines("a\x1b[31m\n\nb\xe2\x80\x8f\tc\n"), "a [31m\n\nb  c\n");
  EXPECT_EQ(printable_lines("\xd8\x9c"), " ");  // Arabic letter mark
  EXPECT_EQ(printable_lines("a,b\r\n\r\nc\rd\r\n"), "a,b\r\n\r\nc d\r\n");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(Unicode, width_counts_columns_not_bytes) {
  EXPECT_EQ(display_width("rank"), 4);
  EXPECT_EQ(display_width("λ_L"), 3);
  EXPECT_EQ(display_width("漢字"), 4);
  EXPECT_EQ(display_width("🚀"), 2);
  EXPECT_EQ(display_width("e\xcc\x81"), 1);  // e and a combining accent
  EXPECT_EQ(display_width(""), 0);
}

TEST(Unicode, padding_fills_to_the_width_and_never_cuts) {
  EXPECT_EQ(pad_right("漢", 4), "漢  ");
  EXPECT_EQ(pad_left("1.5", 5), "  1.5");
  EXPECT_EQ(pad_left("12345", 3), "12345");
}

TEST(Unicode, wraps_at_blanks_and_keeps_line_breaks) {
  EXPECT_THAT(wrap("one two  three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("one\ntwo\n", 20), ElementsAre("one", "two", ""));
  EXPECT_THAT(wrap("", 10), ElementsAre(""));
}

TEST(Unicode, cuts_words_longer_than_a_line) {
  EXPECT_THAT(wrap("abcdefgh ij", 3), ElementsAre("abc", "def", "gh", "ij"));
  EXPECT_THAT(wrap("漢字漢", 4), ElementsAre("漢字", "漢"));
  EXPECT_THAT(wrap("漢字漢", 3), ElementsAre("漢", "字", "漢"));
  EXPECT_THAT(wrap("abc 漢", 5), ElementsAre("abc", "漢"));
  EXPECT_THAT(wrap("漢", 0), ElementsAre("漢"));
}

TEST(Unicode, wraps_a_long_word_in_linear_time) {
  const std::string word(4'000'000, 'x');  // quadratic work would take minutes
  EXPECT_EQ(wrap(word, 10).size(), 400'000u);
}

TEST(Unicode, keeps_a_unit_with_its_number) {
  EXPECT_THAT(wrap("it takes 64.1 ms.", 14), ElementsAre("it takes", "64.1 ms."));
  EXPECT_THAT(wrap("before it is 1 % slower", 14), ElementsAre("before it is", "1 % slower"));
  EXPECT_THAT(wrap("the 4 ranks", 5), ElementsAre("the 4", "ranks"));
}

}  // namespace
}  // namespace slackline
