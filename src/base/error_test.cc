#include "base/error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace slackline {
namespace {

TEST(Error, reads_problem_why_what_to_do) {
  EXPECT_STREQ(Error("cannot open 'x'", "no such file", "Check the path.").what(),
               "cannot open 'x': no such file. Check the path.");
  EXPECT_STREQ(Error("cannot open 'x'", "", "").what(), "cannot open 'x'.");
  EXPECT_STREQ(Error("ranks wait", "\n  rank 0\n  rank 1", "Look there.").what(),
               "ranks wait:\n  rank 0\n  rank 1.\n  Look there.");
}

TEST(Error, usage_exits_with_2_and_failure_with_1) {
  EXPECT_EQ(Error("a", "b").exit_status(), 1);
  EXPECT_EQ(usage_error("a", "b").exit_status(), 2);
}

TEST(Error, leaves_out_the_middle_of_what_is_very_long) {
  std::string line(50'000'000, 'x');
  line.insert(1799, "ä");  // which is not cut in half
  const std::string message = Error("cannot read '" + line + "'", line, line).what();
  EXPECT_LT(message.size(), 7000u);
  EXPECT_NE(message.find("bytes left out]"), std::string::npos);
  EXPECT_EQ(shortened("short"), "short");
  const std::string text = shortened(line);
  EXPECT_EQ(text.substr(0, 1801), std::string(1799, 'x') + " [");
}

TEST(Error, contracts_throw_logic_errors) {
  EXPECT_NO_THROW(expects(true, "fine"));
  EXPECT_THROW(expects(false, "broken"), std::logic_error);
  EXPECT_THROW(ensures(false, "broken"), std::logic_error);
}

TEST(Error, errno_in_words) {
  errno = ENOENT;
  EXPECT_EQ(errno_text(), "No such file or directory");
}

}  // namespace
}  // namespace slackline
