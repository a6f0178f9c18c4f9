#include "calls/call_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/testing/text_trace.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using testing::timed_trace;

Trace nested_calls(std::string_view lines) {
  return timed_trace(1,
                     "frame 1 0 main line=10\nframe 2 0 main line=20\n"
                     "frame 3 1 solve line=30\nframe 4 2 solve line=31\nframe 5 4 halo\n"
                     "rank 0\n" +
                         std::string(lines));
}

TEST(CallPathsOfFunctions, AreTheSameWhateverTheLine) {
  const Trace trace = nested_calls(" barrier frame=3\n barrier frame=4\n barrier\n");
  const CallPaths paths = CallPaths::of_functions(trace);
  EXPECT_EQ(paths.at_call(0, 0), paths.at_call(0, 1));
  EXPECT_EQ(paths.name(paths.at_call(0, 0)), "main/solve");
  EXPECT_EQ(paths.innermost(paths.at_call(0, 0)), "solve");
  EXPECT_EQ(paths.depth(paths.at_call(0, 0)), 2u);
  EXPECT_EQ(paths.region(paths.at_call(0, 0)), kNoRegion);
  EXPECT_EQ(paths.at_call(0, 2), 0u);
  EXPECT_EQ(paths.size(), 4u);
}

TEST(CallPathsOfFunctions, GiveComputationToWhatBothCallsAroundItHaveInCommon) {
  const Trace trace = nested_calls(
      " @10 barrier frame=5\n @30 barrier frame=3\n @60 barrier frame=1\n @70 barrier\n");
  const CallPaths paths = CallPaths::of_functions(trace);
  std::vector<std::pair<std::string, std::int64_t>> parts;
  for (std::uint32_t call = 0; call < 4; ++call) {
    paths.split_gap(
        0, call, [&](PathId path, std::int64_t ns) { parts.emplace_back(paths.name(path), ns); });
  }
  EXPECT_THAT(parts, ElementsAre(Pair("main/solve/halo", 10), Pair("main/solve", 20),
                                 Pair("main", 30), Pair("", 10)));
}

TEST(CallPathsOfFunctions, StandBackForRegions) {
  const Trace with = nested_calls(" enter step\n barrier frame=3\n leave step\n");
  EXPECT_EQ(CallPaths::of_regions_or_functions(with).name(1), "step");
  const Trace without = nested_calls(" barrier frame=3\n");
  EXPECT_EQ(CallPaths::of_regions_or_functions(without).name(1), "main");
  const Trace left = nested_calls(" leave step\n barrier frame=3\n");
  EXPECT_EQ(CallPaths::of_regions_or_functions(left).name(1), "main") << "in no region";
}

TEST(CallPathsOfFunctions, AreNoneWithoutACallTree) {
  const Trace trace = timed_trace(1, "rank 0\n @10 barrier\n");
  EXPECT_TRUE(CallPaths::of_functions(trace).only_one());
}

}  // namespace
}  // namespace slackline
