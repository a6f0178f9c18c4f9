#include "base/shell_command.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

TEST(ShellCommand, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_command({"mpirun", "-n", "4", "--map-by", "ppr:2:node"}),
            "mpirun -n 4 --map-by ppr:2:node");
  EXPECT_EQ(shell_command({"a b", "", "it's", "$HOME"}), R"('a b' '' 'it'\''s' '$HOME')");
}

TEST(ShellCommand, CshKnowsExclamationMarksInQuotes) {
  EXPECT_EQ(csh_word("run!1"), R"('run\!1')");
  EXPECT_EQ(csh_word("run1"), "run1");
}

}  // namespace
}  // namespace slackline
