#include "calls/disturbance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "formats/testing/text_trace.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Disturbance disturbance(const std::string& head, const std::string& pauses = "") {
  return disturbance_of(testing::timed_trace(
      1, head + "rank 0\n @0 +10 init\n" + pauses + " @1010 +5 barrier\n @1020 +5 finalize\n"));
}

TEST(Disturbance, IsWhatOthersUsedOfTheProcessors) {
  const Disturbance quiet = disturbance("info processors=2000 other_processes=40\n");
  EXPECT_DOUBLE_EQ(quiet.other_processes, 0.02);
  EXPECT_FALSE(quiet.disturbed());
  EXPECT_TRUE(disturbance("info processors=2000 other_processes=900\n").disturbed());
  EXPECT_FALSE(disturbance("").disturbed()) << "nothing is known";
}

TEST(Disturbance, LeavesOutRunsBesideUndisturbedOnes) {
  ComparedRuns summary;
  EXPECT_THAT(undisturbed({{0.01, 0}, {0.45, 0}, {0, 0.2}}, summary),
              ElementsAre(true, false, false));
  EXPECT_EQ(
      disturbance_sentence(summary, "the error is not attributable to the model"),
      "During 2 of 3 runs, other processes used up to 45 % of the processors' time; these runs "
      "are left out.");
  // At another latency all runs are disturbed.
  EXPECT_THAT(undisturbed({{0.3, 0}, {0.3, 0}}, summary), ElementsAre(true, true));
  EXPECT_THAT(
      disturbance_sentence(summary, "the error is not attributable to the model"),
      HasSubstr("During 4 of 5 runs, other processes used up to 45 % of the processors' time: "
                "the error is not attributable to the model. Repeat on a quiet machine."));
}

TEST(Disturbance, OfOneRunIsNotACount) {
  ComparedRuns one;
  one.add(Disturbance{.no_processor = 0.2});
  EXPECT_EQ(disturbance_sentence(one, "it says little", "the measured run"),
            "During the measured run, ranks were without a processor for up to 20 % of their "
            "computation: it says little. Repeat on a quiet machine.");
}

TEST(Disturbance, SaysNothingOfQuietRuns) {
  ComparedRuns summary;
  EXPECT_THAT(undisturbed({{0.01, 0.01}}, summary), ElementsAre(true));
  EXPECT_EQ(disturbance_sentence(summary, "the error is not attributable to the model"), "");
}

}  // namespace
}  // namespace slackline
