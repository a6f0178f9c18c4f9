#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
              HasSubstr("Run 'slackline completion --help' for help."));
  EXPECT_THAT(message_of({"completion", "tcsh"}), HasSubstr("tcsh"));
}

TEST(CommandLine, EveryCommandHasASummaryInTheHouseStyleAndExamples) {
  std::set<std::string_view> names;
  for (const Command& command : commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name << " stands twice";
    EXPECT_FALSE(command.summary.empty() || command.summary.ends_with('.')) << command.name;
    testing::internal::CaptureStdout();
    run_command_line({std::string(command.name), "--help"});
    const std::string help = testing::internal::GetCapturedStdout();
    const std::size_t footer = help.find("Examples:");
    ASSERT_NE(footer, std::string::npos) << command.name;
    EXPECT_THAT(help.substr(footer), HasSubstr("slackline " + std::string(command.name)));
  }
}

}  // namespace
}  // namespace slackline
