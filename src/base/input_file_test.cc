#include "base/input_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include "base/file.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;

std::string refused(const std::filesystem::path& path) {
  return error_text([&] { MappedFile file(path); });
}

TEST(OpenInput, ReadsAnOpenPipeAsOftenAsItIsAskedFor) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const std::string content(300'000, 'x');
  std::thread writer([&] {
    write_all(ends[1], content);
    ::close(ends[1]);
  });
  const std::string path = "/dev/fd/" + std::to_string(ends[0]);
  EXPECT_EQ(MappedFile(path).text(), content);
  writer.join();
  EXPECT_EQ(MappedFile(path).text(), content);
  ::close(ends[0]);
}

TEST(OpenInput, TellsPipesOfTheSameNumberApart) {
  for (const std::string content : {"first", "second"}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    write_all(ends[1], content);
    ::close(ends[1]);
    EXPECT_EQ(MappedFile("/dev/fd/" + std::to_string(ends[0])).text(), content);
    ::close(ends[0]);
  }
}

TEST(OpenInput, DashIsStandardInput) {
  const ScratchFolder folder;
  write_file(folder / "a", "text");
  const int before = ::dup(STDIN_FILENO);
  const int file = ::open((folder / "a").c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  EXPECT_EQ(MappedFile("-").text(), "text");
  EXPECT_EQ(MappedFile("/dev/stdin").text(), "text");
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(file);
}

TEST(OpenInput, NeverWaitsForTheWriterOfAFifo) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_THAT(refused(folder / "fifo"), HasSubstr("it is a FIFO. Give it as standard input"));
}

TEST(OpenInput, RefusesDevicesAndFolders) {
  const ScratchFolder folder;
  EXPECT_THAT(refused(folder.path()), HasSubstr("Is a directory"));
  if (::mknod((folder / "zero").c_str(), S_IFCHR | 0600, makedev(1, 5)) != 0) {
    GTEST_SKIP() << "not root";
  }
  EXPECT_THAT(refused(folder / "zero"), HasSubstr("it is a device"));
}

}  // namespace
}  // namespace slackline
