#include "base/printable.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

TEST(ShellCommand, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_command({"mpirun", "-n", "4", "--map-by", "ppr:2:node"}),
            "mpirun -n 4 --map-by ppr:2:node");
  EXPECT_EQ(shell_command({"a b", "", "it's", "$HOME"}), R"('a b' '' 'it'\''s' '$HOME')");
}

TEST(ShellCommand, ShowsNoCharacterThatATerminalObeys) {
  EXPECT_EQ(shell_command({"a\x1b[5;5Hb'c\\", "\u202e", "\u00e9"}),
            R"($'a\033[5;5Hb\'c\\' $'\342\200\256' 'é')");
}

TEST(ShellCommand, CshKnowsExclamationMarksInQuotes) {
  EXPECT_EQ(csh_word("run!1"), R"('run\!1')");
  EXPECT_EQ(csh_word("run1"), "run1");
}

}  // namespace
}  // namespace slackline
