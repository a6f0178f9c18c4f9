#include "base/spill_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include "base/error.h"

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

TEST(SpillFile, WithoutAFolderSaysWhatToDo) {
  const char* const before = std::getenv("TMPDIR");
  const std::string folder = before == nullptr ? "" : before;
  setenv("TMPDIR", "/nonexistent/folder", 1);
  try {
    SpillFile file;
    ADD_FAILURE() << "there is none";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Set TMPDIR"), std::string::npos) << error.what();
  }
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", folder.c_str(), 1);
}

}  // namespace
}  // namespace slackline
