#include "base/text_parsing.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

TEST(NumberedName, TakesTheLastNumber) {
  const auto name = numbered_name("dumpi-2011.02.04-0012.bin.gz");
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->before, "dumpi-2011.02.04-");
  EXPECT_EQ(name->number, 12u);
  EXPECT_EQ(name->after, ".bin.gz");
  EXPECT_TRUE(name->like(*numbered_name("dumpi-2011.02.04-0000.bin.gz")));
  EXPECT_FALSE(name->like(*numbered_name("dumpi-2011.02.05-0012.bin.gz")));
}

TEST(NumberedName, NoneWithoutANumberOfARank) {
  EXPECT_FALSE(numbered_name("trace.bin").has_value());
  EXPECT_FALSE(numbered_name("trace-1048576.bin").has_value());
  EXPECT_FALSE(numbered_name("trace-99999999999999999999999.bin").has_value());
  EXPECT_EQ(numbered_name("7")->number, 7u);
}

}  // namespace
}  // namespace slackline
