#include "base/lost_input.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/testing/scratch_folder.h"

namespace slackline {
namespace {

TEST(LostInput, EndsWithOneSentenceAndStatus1) {
  const ScratchFolder folder;
  write_file(folder / "input", std::string(100'000, 'x'));
  const pid_t child = ::fork();
  if (child == 0) {
    end_on_lost_input();
    const int log = ::open((folder / "log").c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(log, STDERR_FILENO);
    const OutputFile output(folder / "result");
    const MappedFile input(folder / "input");
    std::filesystem::resize_file(folder / "input", 0);
    ::_exit(input.text().back() == 'x' ? 2 : 3);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  const std::string path = std::filesystem::canonical(folder / "input").string();
  EXPECT_EQ(std::string(MappedFile(folder / "log").text()),
            "slackline: cannot read '" + path +
                "': it became shorter while it was read, or its disk failed. Start again when it "
                "is complete.\n");
  std::size_t entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    entries += entry.exists() ? 1 : 0;
  }
  EXPECT_EQ(entries, 2u);  // no temporary
}

TEST(LostInput, ReadsAsZerosAndIsRefused) {
  const ScratchFolder folder;
  struct sigaction before {};
  ::sigaction(SIGBUS, nullptr, &before);
  survive_lost_input();
  write_file(folder / "input", std::string(100'000, 'x'));
  const MappedFile input(folder / "input");
  const std::uint64_t losses = lost_inputs();
  EXPECT_NO_THROW(refuse_lost_input(losses));
  std::filesystem::resize_file(folder / "input", 5000);
  EXPECT_EQ(input.text()[4999], 'x');
  EXPECT_EQ(input.text()[99'999], '\0');
  EXPECT_EQ(input.text()[50'000], '\0');
  EXPECT_GT(lost_inputs(), losses);
  try {
    refuse_lost_input(losses);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr((folder / "input").filename().string() +
                                                   "': it became shorter while it was read"));
  }
  EXPECT_NO_THROW(refuse_lost_input(lost_inputs()));
  ::sigaction(SIGBUS, &before, nullptr);
}

// Such as one that a Python program has mapped by itself.
TEST(LostInput, OfOthersHasWhatHappenedBefore) {
  const ScratchFolder folder;
  write_file(folder / "other", std::string(100'000, 'x'));
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGBUS, [](int) { ::_exit(7); });
    survive_lost_input();
    const int fd = ::open((folder / "other").c_str(), O_RDONLY);
    const auto* const mapped =
        static_cast<const char*>(::mmap(nullptr, 100'000, PROT_READ, MAP_PRIVATE, fd, 0));
    std::filesystem::resize_file(folder / "other", 0);
    ::_exit(mapped[99'999] == 'x' ? 2 : 3);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

}  // namespace
}  // namespace slackline
