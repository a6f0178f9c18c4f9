#include "base/file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  FileTest() { fs::create_directories(dir_); }
  ~FileTest() override { fs::remove_all(dir_); }
  fs::path dir_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(FileTest, what_is_written_is_read) {
  write_file(dir_ / "a", "hello");
  EXPECT_EQ(MappedFile(dir_ / "a").text(), "hello");
}

TEST_F(FileTest, an_empty_file_is_an_empty_span) {
  write_file(dir_ / "a", "");
  EXPECT_TRUE(MappedFile(dir_ / "a").bytes().empty());
}

TEST_F(FileTest, without_commit_nothing_stays) {
  {
    OutputFile file(dir_ / "a");
    file.write("half");
  }
  EXPECT_TRUE(fs::is_empty(dir_));
}

TEST_F(FileTest, without_commit_the_old_content_stays) {
  write_file(dir_ / "a", "old");
  {
    OutputFile file(dir_ / "a");
    file.write("new");
  }
  EXPECT_EQ(MappedFile(dir_ / "a").text(), "old");
}

TEST_F(FileTest, a_missing_file_is_an_error_with_the_reason) {
  try {
    MappedFile file(dir_ / "none");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
  }
}

TEST_F(FileTest, a_directory_is_no_file) {
  EXPECT_THROW(MappedFile file(dir_), Error);
}

TEST(File, a_full_disk_is_said) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  // Renaming cannot be tried on a device; the write itself must already fail.
  EXPECT_THROW(
      {
        OutputFile file("/dev/nonexistent/a");
        file.write("x");
      },
      Error);
}

}  // namespace
}  // namespace slackline
