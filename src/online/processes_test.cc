#include "online/processes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"

namespace slackline::online {
namespace {

int number_in(const std::filesystem::path& path) {
  int number = -1;
  std::ifstream(path) >> number;
  return number;
}

TEST(Processes, StartInTwoStepsAndEndBeforeOthersWhereMemoryIsShort) {
  const ScratchFolder folder;
  const std::string score = (folder / "score").string();
  Processes processes(3, {{"sh", "-c", "cat /proc/self/oom_score_adj > " + score}, ""});
  EXPECT_EQ(processes.id(0), -1);
  processes.start(0, 1);
  EXPECT_GT(processes.id(0), 0);
  EXPECT_EQ(processes.id(1), -1);
  EXPECT_EQ(processes.wait(), 0);
  EXPECT_EQ(number_in(score), std::min(number_in("/proc/self/oom_score_adj") + 500, 1000));
  processes.start(1, 3);
  EXPECT_EQ(processes.wait(), 0);
}

TEST(Processes, SayWhyTheyCannotStart) {
  Processes processes(1, {{"./missing-program"}, ""});
  EXPECT_EQ(error_text([&] { processes.start(0, 1); }),
            "cannot start './missing-program': No such file or directory. Name the program itself "
            "after '--', without a launcher.");
}

}  // namespace
}  // namespace slackline::online
