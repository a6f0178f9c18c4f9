#include "app/options/option_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "app/options/shared_options.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

struct Targets {
  std::optional<std::string> latency{};
  std::string start = "0";
  std::string mode{};
  std::uint64_t seed = 1;
  double factor = 0.5;
  bool force = false;
  std::vector<std::string> traces{};
};

TEST(OptionList, ADeclarationIsTakenApart) {
  Targets targets;
  OptionList options;
  const Option& latency = options.add("-L,--latency TIME", targets.latency, "Latency");
  EXPECT_THAT(latency.names, ElementsAre("-L", "--latency"));
  EXPECT_EQ(latency.value_name, "TIME");
  EXPECT_FALSE(latency.is_positional());
  const Option& traces = options.add("traces TRACE", targets.traces, "Traces");
  EXPECT_THAT(traces.names, ElementsAre("traces"));
  EXPECT_TRUE(traces.is_positional());
  EXPECT_TRUE(traces.is_list());
  EXPECT_TRUE(options.contains("-L"));
  EXPECT_FALSE(options.contains("--lat"));
}

TEST(OptionList, DefaultsAreTheVariablesValues) {
  Targets targets;
  OptionList options;
  EXPECT_EQ(options.add("--from", targets.start, "").shown_default(), "0");
  EXPECT_EQ(options.add("--seed", targets.seed, "").shown_default(), "1");
  EXPECT_EQ(options.add("--factor", targets.factor, "").shown_default(), "0.5");
  EXPECT_EQ(options.add("--latency", targets.latency, "").shown_default(), "");
  EXPECT_EQ(options.add("--force", targets.force, "").shown_default(), "");
  EXPECT_EQ(options.add("--mode", targets.mode, "", {.shown_default = "auto"}).shown_default(),
            "auto");
}

TEST(OptionList, KeywordsAreNamesWithUnderscores) {
  Targets targets;
  OptionList options;
  EXPECT_THAT(options.add("-L,--net-latency", targets.latency, "").keywords(),
              ElementsAre("L", "net_latency"));
  EXPECT_THAT(options.add("--overhead", targets.mode, "", {.keyword = "o"}).keywords(),
              ElementsAre("o", "overhead"));
  EXPECT_THAT(options.add("--colour,--color", targets.mode, "").keywords(), ElementsAre("colour"));
  EXPECT_THAT(options.add("--from", targets.start, "").keywords(), ElementsAre("from_"));
  EXPECT_THAT(options.add("traces", targets.traces, "").keywords(), ElementsAre("traces"));
}

TEST(OptionList, GroupsHoldWhileTheyLive) {
  Targets targets;
  OptionList options;
  {
    const OptionGroup outer(options, "Model");
    { const OptionGroup inner(options, "Network"); }
    EXPECT_EQ(options.add("--from", targets.start, "").group, "Model");
  }
  EXPECT_EQ(options.add("--seed", targets.seed, "").group, "");
}

TEST(OptionList, TellsWhichValuesAreOthers) {
  ModelOptions given;
  ModelOptions made;
  OptionList options;
  OptionList defaults;
  declare(options, given);
  declare(defaults, made);
  EXPECT_THAT(changed_options(options, defaults), ElementsAre());
  given.latency = "3us";
  given.collectives = {"allreduce=ring"};
  EXPECT_THAT(changed_options(options, defaults),
              UnorderedElementsAre("--latency", "--collectives"));
}

TEST(OptionList, ANameIsDeclaredOnce) {
  ModelOptions model;
  OptionList options;
  declare(options, model);
  EXPECT_THROW(options.add("--latency", model.latency, ""), std::logic_error);
  EXPECT_THROW(options.add("-L,--other", model.latency, ""), std::logic_error);
}

}  // namespace
}  // namespace slackline
