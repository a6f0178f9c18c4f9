#include "base/output_files.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/testing/scratch_folder.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

class OutputFilesTest : public ::testing::Test {
 protected:
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  ScratchFolder scratch_;
  const fs::path& folder_ = scratch_.path();
};

TEST_F(OutputFilesTest, AppearTogetherOnCommit) {
  {
    OutputFiles files(folder_ / "run.prv");
    write_file(files.path(), "main");
    write_file(files.path().replace_extension(".row"), "rows");
    EXPECT_FALSE(fs::exists(folder_ / "run.prv"));
    files.commit();
  }
  EXPECT_EQ(MappedFile(folder_ / "run.prv").text(), "main");
  EXPECT_EQ(MappedFile(folder_ / "run.row").text(), "rows");
  EXPECT_EQ(entries(), 2u);
}

TEST_F(OutputFilesTest, LeaveNothingWithoutCommit) {
  {
    OutputFiles files(folder_ / "run");
    fs::create_directory(files.path());
    write_file(files.path() / "part", "x");
  }
  EXPECT_EQ(entries(), 0u);
}

TEST_F(OutputFilesTest, ReplaceFilesButNotFoldersUnlessTold) {
  fs::create_directory(folder_ / "run");
  write_file(folder_ / "run" / "precious", "x");
  EXPECT_THROW(OutputFiles(folder_ / "run/"), Error);
  {
    OutputFiles files(folder_ / "run.otf2");
    write_file(files.path(), "anchor");
    fs::create_directory(files.path().replace_extension());
    EXPECT_THROW(files.commit(), Error);
  }
  EXPECT_TRUE(fs::exists(folder_ / "run" / "precious"));
  EXPECT_EQ(entries(), 1u);
  {
    OutputFiles files(folder_ / "run", OutputFiles::Existing::replace);
    fs::create_directory(files.path());
    write_file(files.path() / "new", "y");
    files.commit();
  }
  EXPECT_FALSE(fs::exists(folder_ / "run" / "precious"));
  EXPECT_TRUE(fs::exists(folder_ / "run" / "new"));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFilesTest, ReplaceNoFileByAFolderUnlessTold) {
  write_file(folder_ / "run", "precious");
  const auto write = [&](OutputFiles::Existing existing) {
    OutputFiles files(folder_ / "run.otf2", existing);
    write_file(files.path(), "anchor");
    fs::create_directory(files.path().replace_extension());
    files.commit();
  };
  EXPECT_THROW(write(OutputFiles::Existing::refuse_folders), Error);
  EXPECT_EQ(MappedFile(folder_ / "run").text(), "precious");
  EXPECT_EQ(entries(), 1u);
  write(OutputFiles::Existing::replace);
  EXPECT_TRUE(fs::is_directory(folder_ / "run"));
}

TEST_F(OutputFilesTest, SayWhyThereIsNoPlace) {
  EXPECT_THROW(OutputFiles(folder_ / "none" / "run"), Error);
}

}  // namespace
}  // namespace slackline
