#include "app/load/cache_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "base/file.h"
#include "base/testing/scratch_folder.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

class CacheFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", folder_.path().c_str(), 1);
  }

  ScratchFolder folder_;
};

TEST_F(CacheFolderTest, FollowsTheXdgBaseDirectorySpecification) {
  EXPECT_EQ(user_cache_folder(), folder_ / ".cache/slackline");
  setenv("XDG_CACHE_HOME", (folder_ / "caches").c_str(), 1);
  EXPECT_EQ(user_cache_folder(), folder_ / "caches/slackline");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(user_cache_folder(), folder_ / ".cache/slackline");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(user_cache_folder(), "");
}

TEST_F(CacheFolderTest, IsMadeForItsUserOnly) {
  ASSERT_TRUE(make_cache_room(user_cache_folder(), 1));
  EXPECT_EQ(fs::status(user_cache_folder()).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(folder_ / ".cache").permissions(), fs::perms::owner_all);
}

TEST_F(CacheFolderTest, MakesRoomByRemovingTheOldest) {
  const fs::path folder = folder_ / "caches";
  fs::create_directory(folder);
  const auto now = fs::file_time_type::clock::now();
  for (int age = 1; age <= 3; ++age) {
    const fs::path cache = folder / (std::to_string(age) + ".slkcache");
    write_file(cache, std::string(100, 'x'));
    fs::last_write_time(cache, now - std::chrono::hours(age));
  }
  write_file(folder / "notes", std::string(1000, 'x'));
  ASSERT_TRUE(make_cache_room(folder, 50, 250));
  EXPECT_TRUE(fs::exists(folder / "1.slkcache"));
  EXPECT_TRUE(fs::exists(folder / "2.slkcache"));
  EXPECT_FALSE(fs::exists(folder / "3.slkcache"));
  EXPECT_TRUE(fs::exists(folder / "notes"));
  EXPECT_FALSE(make_cache_room(folder, 251, 250));
  EXPECT_TRUE(fs::exists(folder / "1.slkcache"));
}

TEST_F(CacheFolderTest, WhereNoneCanBeMadeThereIsNoRoom) {
  write_file(folder_ / "file", "x");
  EXPECT_FALSE(make_cache_room(folder_ / "file/slackline", 1));
}

}  // namespace
}  // namespace slackline
