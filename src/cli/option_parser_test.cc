#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "analysis/model/model_choice.h"
#include "app/options/shared_options.h"
#include "base/error.h"
#include "base/file.h"
#include "base/testing/scratch_folder.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

using testing::HasSubstr;

void parse(const OptionList& options, std::vector<std::string> arguments) {
  CLI::App app;
  add_options(app, options);
  std::ranges::reverse(arguments);  // CLI11 takes them from the back
  app.parse(std::move(arguments));
}

ModelChoice model_of(std::vector<std::string> arguments) {
  ModelOptions model;
  OptionList options;
  declare(options, model);
  parse(options, std::move(arguments));
  return resolve_model(model);
}

struct Targets {
  std::string trace{};
  std::string mode = "fast";
  std::int32_t windows = 16;
  std::uint64_t seed = 1;
  std::vector<std::string> parts{};
  std::string rate{};
  bool fix = false;
  bool keep = false;
  bool quick = false;
};

OptionList declared(Targets& targets) {
  OptionList options;
  options.add("trace TRACE", targets.trace, "A trace");
  options.add("--mode", targets.mode, "How", {.choices = {"fast", "exact"}});
  options.add("--windows N", targets.windows, "How many", {.range = OptionRange{8, 32}});
  options.add("--seed N", targets.seed, "Of random numbers");
  options.add("--parts LIST", targets.parts, "Which", {.separator = ','});
  options.add("--rate [RATE]", targets.rate, "How often", {.value_if_alone = "200Hz"});
  options.add("--fix", targets.fix, "One");
  options.add("--keep", targets.keep, "Or the other", {.excludes = "--fix"});
  options.add("--quick", targets.quick, "In Python", {.callers = OptionCallers::python});
  return options;
}

Targets parsed(std::vector<std::string> arguments) {
  Targets targets;
  parse(declared(targets), std::move(arguments));
  return targets;
}

TEST(OptionParser, SetsTheVariablesOfWhatIsGiven) {
  const Targets targets = parsed({"--windows", "32", "--mode", "exact", "--rate"});
  EXPECT_EQ(targets.windows, 32);
  EXPECT_EQ(targets.mode, "exact");
  EXPECT_EQ(targets.rate, "200Hz");
  EXPECT_EQ(parsed({}).windows, 16);
  EXPECT_EQ(parsed({}).rate, "");
}

TEST(OptionParser, AListLeavesTheArgumentBehindIt) {
  const Targets targets = parsed({"--parts", "a,b", "app.slk"});
  EXPECT_EQ(targets.parts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(targets.trace, "app.slk");
}

TEST(OptionParser, RefusesNumbersThatDoNotFit) {
  EXPECT_EQ(parsed({"--seed", "18446744073709551615"}).seed, 18446744073709551615u);
  for (const char* text : {"-1", "18446744073709551616", "1.5", "x"}) {
    EXPECT_THROW(parsed({"--seed", text}), CLI::ParseError) << text;
  }
}

TEST(OptionParser, RefusesWhatTheDeclarationExcludes) {
  EXPECT_THROW(parsed({"--mode", "slow"}), CLI::ParseError);
  EXPECT_THROW(parsed({"--windows", "7"}), CLI::ParseError);
  EXPECT_THROW(parsed({"--fix", "--keep"}), CLI::ParseError);
  EXPECT_THROW(parsed({"--quick"}), CLI::ParseError);
}

TEST(ModelOptions, ReadsTheFourParametersWithUnits) {
  const ModelChoice choice =
      model_of({"-L", "3us", "--overhead", "500ns", "-G", "0.018ns/B", "-S", "256KiB"});
  EXPECT_EQ(choice.model.latency_fs, 3'000'000'000);
  EXPECT_EQ(choice.model.overhead_fs, 500'000'000);
  EXPECT_EQ(choice.model.gap_per_byte_fs, 18'000);
  EXPECT_EQ(choice.graph.eager_threshold_bytes, 262'144u);
}

TEST(ModelOptions, OptionsWinOverTheFileAndTheFileOverTheNetwork) {
  const ScratchFolder folder;
  const std::filesystem::path file = folder / "model.toml";
  write_file(file, "[loggps]\nL = \"7us\"\no = \"8ns\"\n");
  const ModelChoice choice =
      model_of({"--network", "ideal", "--params", file.string(), "-L", "9us"});
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
      model_of({"--rendezvous", "sync", "--collectives", "mpich,allreduce=ring"});
  EXPECT_EQ(choice.graph.rendezvous, Rendezvous::sync);
  EXPECT_EQ(choice.graph.collectives.selector(), CollectiveChoice::Selector::mpich);
  EXPECT_THROW(model_of({"--collectives", "allreduce=nonsense"}), Error);
}

}  // namespace
}  // namespace slackline
