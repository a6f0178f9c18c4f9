#include "base/interrupt.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace slackline {
namespace {

TEST(InterruptRequest, RemembersTheFirstSignalAndLeavesTheNext) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);
    const InterruptRequest request;
    if (request.arrived()) ::_exit(1);
    ::raise(SIGINT);
    if (!request.arrived()) ::_exit(2);
    ::raise(SIGINT);
    ::_exit(3);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
}

TEST(InterruptRequest, LeavesWhatIsIgnored) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGINT, SIG_IGN);
    const InterruptRequest request;
    ::raise(SIGINT);
    ::_exit(request.arrived() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace slackline
