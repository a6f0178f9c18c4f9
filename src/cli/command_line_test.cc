#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace slackline {
namespace {

using testing::HasSubstr;

std::string message_of(const std::vector<std::string>& arguments) {
  try {
    run_command_line(arguments);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), 2);
    return error.what();
  }
  return "";
}

TEST(CommandLine, SuggestsTheNearestCommand) {
  EXPECT_THAT(message_of({"completoin"}), HasSubstr("Did you mean 'completion'?"));
  EXPECT_EQ(nearest_command("comp"), "completion");  // a beginning counts as near
}

TEST(CommandLine, SuggestsNothingForWhatIsFarFromEveryCommand) {
  EXPECT_EQ(nearest_command("xyzzyplugh"), "");
  EXPECT_THAT(message_of({"xyzzyplugh"}), HasSubstr("'slackline --help' lists them."));
}

TEST(CommandLine, WrongOptionsAreUsageErrorsThatNameTheHelp) {
  EXPECT_THAT(message_of({"completion", "bash", "--nonsense"}),
              HasSubstr("'slackline completion --help-all' lists them."));
  EXPECT_THAT(message_of({"completion", "tcsh"}), HasSubstr("tcsh"));
}

std::string printed(const std::vector<std::string>& arguments) {
  testing::internal::CaptureStdout();
  run_command_line(arguments);
  return testing::internal::GetCapturedStdout();
}

TEST(CommandLine, MisspeltOptionsAreAnsweredWithTheNearestNames) {
  EXPECT_THAT(message_of({"predict", "app.slk", "--lattency", "3us"}),
              HasSubstr("unknown option '--lattency': 'slackline predict' has no such option. Did "
                        "you mean --latency?"));
  EXPECT_THAT(message_of({"predict", "--lattency=3us"}), HasSubstr("'--lattency':"));
  EXPECT_THAT(message_of({"completion", "--qiet"}),
              HasSubstr("'slackline completion --help-all' lists them."));
  EXPECT_THAT(message_of({"record", "mpirun", "-x", "./app"}), HasSubstr("unknown option '-x'"));
  EXPECT_THAT(message_of({"record", "mpirun", "-x", "./app"}), HasSubstr("follow '--'."));
  EXPECT_THAT(message_of({"--versoin"}), HasSubstr("Did you mean --version?"));
}

TEST(CommandLine, TheListGroupsAllCommandsOnOneScreen) {
  const std::string list = printed({"--help"});
  EXPECT_LE(std::ranges::count(list, '\n'), 45);
  for (const Command& command : commands()) {
    EXPECT_THAT(list, HasSubstr(" " + std::string(command.name) + " "));
  }
  EXPECT_EQ(printed({"help"}), list);
}

TEST(CommandLine, HelpAndVersionHaveOtherSpellings) {
  EXPECT_EQ(printed({"help", "predict"}), printed({"predict", "--help"}));
  EXPECT_EQ(printed({"-V"}), printed({"--version"}));
  EXPECT_THAT(message_of({"help", "predcit"}), HasSubstr("Did you mean 'predict'?"));
}

TEST(CommandLine, FormerNamesOfCommandsStayValid) {
  EXPECT_EQ(printed({"wait-states", "--help"}), printed({"waits", "--help"}));
  EXPECT_EQ(printed({"help", "critical-path"}), printed({"path", "--help"}));
  EXPECT_EQ(printed({"monitor", "--help-all"}), printed({"phases", "--help-all"}));
  EXPECT_THAT(printed({"waits", "--help"}), HasSubstr("(former name: wait-states)"));
  EXPECT_EQ(nearest_command("wait-stats"), "waits");
}

TEST(CommandLine, HelpNamesGroupsThatCommandsShareAndHelpAllListsTheirOptions) {
  const std::string own = printed({"whatif", "--help"});
  const std::string all = printed({"whatif", "--help-all"});
  for (const std::string option : {"--latency", "--topology", "--reference-speed"}) {
    EXPECT_THAT(own, testing::Not(HasSubstr(option)));
    EXPECT_THAT(all, HasSubstr(option));
  }
  EXPECT_THAT(own, HasSubstr("Model options"));
  EXPECT_THAT(own, HasSubstr("--set"));
  EXPECT_THAT(all, HasSubstr("remove-messages   "));
  EXPECT_THAT(own, testing::Not(HasSubstr("remove-messages  ")));
}

TEST(CommandLine, EveryCommandHasASummaryInTheHouseStyleAndExamples) {
  std::set<std::string_view> names;
  for (const Command& command : commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name << " stands twice";
    EXPECT_FALSE(command.summary.empty() || command.summary.ends_with('.')) << command.name;
    const std::string help = printed({std::string(command.name), "--help"});
    const std::size_t footer = help.find("Examples:");
    ASSERT_NE(footer, std::string::npos) << command.name;
    EXPECT_THAT(help.substr(footer), HasSubstr("slackline " + std::string(command.name)));
  }
}

}  // namespace
}  // namespace slackline
