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
#include "trace/trace_builder.h"

namespace slackline {
namespace {

using testing::HasSubstr;

ModelChoice parse(std::vector<std::string> arguments) {
  CLI::App app;
  CommandParser parser(app);
  ModelOptions options;
  add_model_options(parser, options);
  std::ranges::reverse(arguments);  // CLI11 takes them from the back
  app.parse(std::move(arguments));
  return resolve_model(options);
}

TEST(ModelOptions, ReadsTheFourParametersWithUnits) {
  const ModelChoice choice =
      parse({"-L", "3us", "--overhead", "500ns", "-G", "0.018ns/B", "-S", "256KiB"});
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

Trace on_hosts(const std::string& first, const std::string& second) {
  TraceBuilder trace(2, false);
  trace.rank_info(0).host = first;
  trace.rank_info(1).host = second;
  return std::move(trace).build();
}

TEST(ModelOptions, RanksOfOneHostHaveTheParametersOfSharedMemory) {
  Findings findings;
  EXPECT_EQ(resolve_model({}, on_hosts("a", "a"), findings).network, "shared-memory");
  EXPECT_EQ(findings.entries().size(), 1u);
  EXPECT_EQ(resolve_model({.latency = "9us"}, on_hosts("a", "a"), findings).model.latency_fs,
            9'000'000'000);
}

TEST(ModelOptions, OtherTracesAndAChosenNetworkKeepTheirs) {
  Findings findings;
  EXPECT_EQ(resolve_model({}, on_hosts("a", "b"), findings).network, "infiniband-fdr");
  EXPECT_EQ(resolve_model({}, on_hosts("", ""), findings).network, "infiniband-fdr");
  EXPECT_EQ(resolve_model({.network = "ideal"}, on_hosts("a", "a"), findings).network, "ideal");
  EXPECT_TRUE(findings.entries().empty());
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
