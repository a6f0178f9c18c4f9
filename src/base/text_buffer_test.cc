#include "base/text_buffer.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace slackline {
namespace {

TEST(TextBuffer, what_is_appended_stays_as_it_grows) {
  TextBuffer buffer;
  std::string all;
  for (int i = 0; i < 10'000; ++i) {
    const std::string text = std::to_string(i);
    buffer.append(text);
    all += text;
  }
  EXPECT_EQ(buffer.view(), all);
  TextBuffer& emptied = buffer;
  const TextBuffer other = std::move(buffer);
  EXPECT_EQ(other.view(), all);
  emptied.append("again");
  EXPECT_EQ(emptied.view(), "again");
}

}  // namespace
}  // namespace slackline
