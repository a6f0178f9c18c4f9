#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "jobs/validate/measurement.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;

TEST(ParseLatencies, TakesTimesAndRanges) {
  EXPECT_THAT(parse_latencies("0,50us,10us"), ElementsAre(0, 10'000, 50'000));
  EXPECT_THAT(parse_latencies("10us..100us"), ElementsAre(0, 10'000, 20'000, 30'000, 40'000, 50'000,
                                                          60'000, 70'000, 80'000, 90'000, 100'000));
  EXPECT_THAT(parse_latencies("1us,1000ns"), ElementsAre(0, 1000));
  EXPECT_THROW(parse_latencies("10us..5us"), Error);
  EXPECT_THROW(parse_latencies("10"), Error);
}

TEST(PlanRuns, InterleavesTheLatencies) {
  const auto runs = plan_runs("f", {0, 10, 20}, 4, 1);
  ASSERT_EQ(runs.size(), 12u);
  std::set<std::string> traces;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(runs[i].repetition, static_cast<int>(i / 3) + 1);
    traces.insert(runs[i].trace.string());
  }
  EXPECT_EQ(traces.size(), 12u);
  EXPECT_TRUE(traces.contains("f/runs/20ns-4.slk"));
}

TEST(WithTwoRanks, ReplacesTheNumberOnly) {
  EXPECT_THAT(with_two_ranks({"mpirun", "-n", "8", "./a", "-n", "3"}, 0),
              ElementsAre("mpirun", "-n", "2", "./a", "-n", "3"));
  EXPECT_THAT(with_two_ranks({"mpirun", "./a"}, 0), ElementsAre("mpirun", "./a"));
}

}  // namespace
}  // namespace slackline
