#include "base/output_files.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/input_file.h"
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

/// A file whose place cannot be taken any more: a folder that is not empty stands there.
void take_place(const fs::path& path) {
  fs::create_directory(path);
  write_file(path / "precious", "x");
}

TEST_F(OutputFilesTest, WhatIsReplacedComesBackIfOneCannotBeMoved) {
  take_place(folder_ / "run");
  write_file(folder_ / "run.def", "old definitions");
  OutputTarget blocked(folder_ / "run.otf2");
  take_place(folder_ / "run.otf2");
  const auto keeper = std::make_shared<const Temporary>(folder_ / "new");
  fs::create_directory(keeper->path());
  fs::create_directory(keeper->path() / "run");
  for (const char* name : {"run/new", "run.def", "run.row", "run.otf2"}) {
    write_file(keeper->path() / name, "new");
  }
  std::vector<FinishedOutput> outputs{{keeper->path() / "run", folder_ / "run", {}, keeper}};
  for (const char* name : {"run.def", "run.row"}) {
    outputs.push_back(
        {keeper->path() / name, folder_ / name, OutputTarget(folder_ / name), keeper});
  }
  outputs.push_back({keeper->path() / "run.otf2", folder_ / "run.otf2", blocked, keeper});
  EXPECT_THROW(place_all(outputs), Error);
  EXPECT_TRUE(fs::exists(folder_ / "run" / "precious"));
  EXPECT_FALSE(fs::exists(folder_ / "run" / "new"));
  EXPECT_EQ(MappedFile(folder_ / "run.def").text(), "old definitions");
  EXPECT_FALSE(fs::exists(folder_ / "run.row"));
  EXPECT_TRUE(fs::exists(folder_ / "run.otf2" / "precious"));
}

TEST_F(OutputFilesTest, OfACommandAppearTogether) {
  write_file(folder_ / "old", "old");
  {
    const OutputsOfCommand command;
    write_output(folder_ / "old", "new");
    write_output(folder_ / "other", "new");
    EXPECT_FALSE(fs::exists(folder_ / "other"));
    EXPECT_EQ(MappedFile(folder_ / "old").text(), "old");
    OutputsOfCommand::place();
    EXPECT_EQ(MappedFile(folder_ / "other").text(), "new");
    EXPECT_EQ(MappedFile(folder_ / "old").text(), "new");
  }
  {
    const OutputsOfCommand command;
    write_output(folder_ / "old", "newer");
  }
  EXPECT_EQ(MappedFile(folder_ / "old").text(), "new");
  write_output(folder_ / "alone", "new");
  EXPECT_EQ(MappedFile(folder_ / "alone").text(), "new");
  EXPECT_EQ(entries(), 3u);
}

TEST_F(OutputFilesTest, OfACommandNeedNamesOfTheirOwn) {
  write_file(folder_ / "both", "old");
  const OutputsOfCommand command;
  write_output(folder_ / "both", "report");
  write_output(folder_ / "." / "both", "summary");
  EXPECT_THROW(OutputsOfCommand::place(), Error);
  EXPECT_EQ(MappedFile(folder_ / "both").text(), "old");
  EXPECT_EQ(entries(), 1u);
}

class ReadFilesTest : public OutputFilesTest {};

TEST_F(ReadFilesTest, AnInputIsNoOutputByAnyOfItsNames) {
  write_file(folder_ / "input", "precious");
  fs::create_symlink("input", folder_ / "link");
  fs::create_hard_link(folder_ / "input", folder_ / "other name");
  const ReadFiles command;
  { const MappedFile read(folder_ / "input"); }
  for (const fs::path name : {"input", "./input", "link", "other name"}) {
    EXPECT_THROW(write_file(folder_ / name, "new"), Error) << name;
  }
  EXPECT_EQ(MappedFile(folder_ / "input").text(), "precious");
  EXPECT_EQ(entries(), 3u);
}

TEST_F(ReadFilesTest, AnInputThatIsReadAfterItsOutputWasBegunIsKept) {
  write_file(folder_ / "input", "precious");
  const ReadFiles command;
  OutputFile output(folder_ / "input");
  output.write("new");
  { const MappedFile read(folder_ / "input"); }
  EXPECT_THROW(output.commit(), Error);
  EXPECT_EQ(MappedFile(folder_ / "input").text(), "precious");
}

TEST_F(ReadFilesTest, AFolderWithAnInputIsNotReplaced) {
  fs::create_directories(folder_ / "run" / "raw");
  write_file(folder_ / "run" / "raw" / "rank-0", "precious");
  const ReadFiles command;
  { const MappedFile read(folder_ / "run" / "raw" / "rank-0"); }
  EXPECT_THROW(OutputFiles(folder_ / "run", OutputFiles::Existing::replace), Error);
}

TEST_F(ReadFilesTest, WhatTheCommandHasMadeIsNoInputAndNothingIsAfterIt) {
  {
    const ReadFiles command;
    write_file(folder_ / "made", "once");
    EXPECT_EQ(MappedFile(folder_ / "made").text(), "once");
    write_file(folder_ / "made", "twice");
  }
  EXPECT_EQ(MappedFile(folder_ / "made").text(), "twice");
  { const ReadFiles command; }
  write_file(folder_ / "made", "thrice");
  EXPECT_EQ(MappedFile(folder_ / "made").text(), "thrice");
}

}  // namespace
}  // namespace slackline
