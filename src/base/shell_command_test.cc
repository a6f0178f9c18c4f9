#include "base/shell_command.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

TEST(ShellCommand, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_command({"mpirun", "-n", "4", "--map-by", "ppr:2:node"}),
            "mpirun -n 4 --map-by ppr:2:node");
  EXPECT_EQ(shell_command({"a b", "", "it's", "$HOME"}), R"('a b' '' 'it'\''s' '$HOME')");
}

}  // namespace
}  // namespace slackline
