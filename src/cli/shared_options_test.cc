#include "cli/shared_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "analysis/model/model_choice.h"
#include "base/error.h"
#include "base/file.h"
#include "base/testing/scratch_folder.h"

namespace slackline {
namespace {

using testing::HasSubstr;

ModelChoice parse(std::vector<std::string> arguments,
                  OverheadShortName short_name = OverheadShortName::lower) {
  CLI::App app;
  CommandParser parser(app);
  ModelOptions options;
  add_model_options(parser, options, short_name);
  std::ranges::reverse(arguments);  // CLI11 takes them from the back
  app.parse(std::move(arguments));
  return resolve_model(options);
}

TEST(ModelOptions, ReadsTheFourParametersWithUnits) {
  const ModelChoice choice = parse({"-L", "3us", "-o", "500ns", "-G", "0.018ns/B", "-S", "256KiB"});
  EXPECT_EQ(choice.model.latency_fs, 3'000'000'000);
  EXPECT_EQ(choice.model.overhead_fs, 500'000'000);
  EXPECT_EQ(choice.model.gap_per_byte_fs, 18'000);
  EXPECT_EQ(choice.graph.eager_threshold_bytes, 262'144u);
}

TEST(ModelOptions, OptionsWinOverTheFileAndTheFileOverTheNetwork) {
  const ScratchFolder folder;
  const std::filesystem::path file = folder / "model.toml";
  write_file(file, "[loggps]\nL = \"7us\"\no = \"8ns\"\n");
  const ModelChoice choice = parse({"--network", "ideal", "--params", file.string(), "-L", "9us"});
  EXPECT_EQ(choice.network, "ideal");
  EXPECT_EQ(choice.model.latency_fs, 9'000'000'000);  // the option's
  EXPECT_EQ(choice.model.overhead_fs, 8'000'000);     // the file's
  EXPECT_EQ(choice.model.gap_per_byte_fs, 0);         // the ideal network's
}

TEST(ModelOptions, AFileGivenToTheOverheadIsAnsweredWithTheRightOption) {
  try {
    parse({"-o", "prediction.json"});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), 2);
    EXPECT_THAT(error.what(), HasSubstr("--output"));
  }
}

TEST(ModelOptions, OverheadCanLeaveItsLetterToTheOutput) {
  EXPECT_THROW(parse({"-o", "500ns"}, OverheadShortName::none), CLI::ParseError);
  EXPECT_EQ(parse({"--overhead", "500ns"}, OverheadShortName::none).model.overhead_fs, 500'000'000);
}

TEST(ModelOptions, RulesAndProtocolReachTheGraphsOptions) {
  const ModelChoice choice =
      parse({"--rendezvous", "sync", "--collectives", "mpich,allreduce=ring"});
  EXPECT_EQ(choice.graph.rendezvous, Rendezvous::sync);
  EXPECT_EQ(choice.graph.collectives.selector(), CollectiveChoice::Selector::mpich);
  EXPECT_THROW(parse({"--collectives", "allreduce=nonsense"}), Error);
}

}  // namespace
}  // namespace slackline
