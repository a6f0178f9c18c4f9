#include "base/spill_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <string>

namespace slackline {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(SpillFile, GivesBackWhatWasAppended) {
  SpillFile file;
  file.append(bytes_of("one "));
  file.append({});
  file.append(bytes_of("two"));
  const auto all = file.map();
  ASSERT_EQ(all.size(), 7u);
  EXPECT_EQ(std::memcmp(all.data(), "one two", 7), 0);
  EXPECT_EQ(file.map().data(), all.data());
}

TEST(SpillFile, MayStayEmpty) {
  SpillFile file;
  EXPECT_TRUE(file.map().empty());
}

}  // namespace
}  // namespace slackline
