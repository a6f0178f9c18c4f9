#include "base/interrupt.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>

#include <csignal>
#include <filesystem>

#include "base/file.h"
#include "base/output_files.h"
#include "base/testing/scratch_folder.h"

namespace slackline {
namespace {

/// Runs `write` in a child that then waits for SIGTERM; returns how the child ended.
template <class Write>
int status_of_terminated_child(Write write) {
  int ready[2];
  if (::pipe(ready) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    remove_temporaries_on_interrupt();
    write([&] {
      sigset_t before, blocked;
      ::sigemptyset(&blocked);
      ::sigaddset(&blocked, SIGTERM);
      ::sigprocmask(SIG_BLOCK, &blocked, &before);  // so that it cannot come before sigsuspend()
      if (::write(ready[1], "x", 1) == 1) ::sigsuspend(&before);
      ::sigprocmask(SIG_SETMASK, &before, nullptr);
    });
    ::_exit(0);
  }
  char byte = 0;
  if (::read(ready[0], &byte, 1) != 1) return -1;
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  return status;
}

TEST(Interrupt, LeavesNothingOfAHalfWrittenFile) {
  const ScratchFolder folder;
  const int status = status_of_terminated_child([&](auto wait) {
    OutputFile file(folder / "result.json");
    file.write("half");
    wait();
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Interrupt, WaitsWhereAPartOfTheWorkWouldLoseAFile) {
  const ScratchFolder folder;
  const int status = status_of_terminated_child([&](auto wait) {
    OutputFile file(folder / "result.json");
    file.write("half");
    {
      const InterruptsWait whole;
      wait();
      write_file(folder / "after", std::filesystem::is_empty(folder.path()) ? "lost" : "there");
    }
    write_file(folder / "later", "");
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_EQ(MappedFile(folder / "after").text(), "there");
  EXPECT_FALSE(std::filesystem::exists(folder / "later"));
  EXPECT_FALSE(std::filesystem::exists(folder / "result.json"));
}

TEST(Interrupt, LeavesNothingOfAFolderOfFiles) {
  const ScratchFolder folder;
  status_of_terminated_child([&](auto wait) {
    const OutputFiles files(folder / "run.otf2");
    write_file(files.path(), "anchor");
    const std::filesystem::path inside = files.path().parent_path() / "run";
    std::filesystem::create_directory(inside);
    for (int i = 0; i < 300; ++i) write_file(inside / std::to_string(i), "events");
    wait();
  });
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Interrupt, KeepsWhatWasCommitted) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder / "kept";
  status_of_terminated_child([&](auto wait) {
    write_file(path, "whole");
    wait();
  });
  EXPECT_EQ(MappedFile(path).text(), "whole");
}

}  // namespace
}  // namespace slackline
