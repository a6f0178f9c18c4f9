#include "calls/call_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/testing/text_trace.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::timed_trace;

constexpr std::int32_t kSolve = 0;
constexpr std::int32_t kExchange = 1;

std::vector<std::pair<std::int32_t, std::int64_t>> split(const CallPaths& paths,
                                                         std::uint32_t call) {
  std::vector<std::pair<std::int32_t, std::int64_t>> parts;
  paths.split_gap(
      0, call, [&](PathId path, std::int64_t ns) { parts.emplace_back(paths.region(path), ns); });
  return parts;
}

std::int32_t region_of(const CallPaths& paths, std::uint32_t call) {
  return paths.region(paths.at_call(0, call));
}

Trace one_rank(std::string_view lines) {
  return timed_trace(1, "region 0 solve\nregion 1 exchange\nrank 0\n" + std::string(lines));
}

TEST(CallPaths, KnowsTheInnermostRegionOfACall) {
  const Trace trace = one_rank(
      "@0 +1 pack\n@5 enter solve\n@10 +1 pack\n@12 enter exchange\n@20 +1 pack\n"
      "@25 leave exchange\n@30 +1 pack\n@35 leave solve\n@40 +1 pack\n");
  const CallPaths paths(trace);
  EXPECT_EQ(region_of(paths, 0), kNoRegion);
  EXPECT_EQ(region_of(paths, 1), kSolve);
  EXPECT_EQ(region_of(paths, 2), kExchange);
  EXPECT_EQ(region_of(paths, 3), kSolve);
  EXPECT_EQ(region_of(paths, 4), kNoRegion);
}

TEST(CallPaths, SplitsComputationWhereRegionsChange) {
  // 100 ns between the calls: 30 outside, 50 in solve, 20 in exchange inside of it.
  const Trace trace = one_rank("@0 +10 pack\n@40 enter solve\n@90 enter exchange\n@110 +1 pack\n");
  const CallPaths paths(trace);
  EXPECT_THAT(split(paths, 1),
              ElementsAre(Pair(kNoRegion, 30), Pair(kSolve, 50), Pair(kExchange, 20)));
  EXPECT_THAT(split(paths, 0), IsEmpty());
}

TEST(CallPaths, EventsOutsideOfTheGapAreMovedToItsBorders) {
  // Regions that change inside of calls count from the call's end (or to its begin).
  const Trace trace = one_rank("@0 +10 pack\n@5 enter solve\n@30 +10 pack\n@50 +1 pack\n");
  const CallPaths paths(trace);
  EXPECT_THAT(split(paths, 1), ElementsAre(Pair(kSolve, 20)));
  EXPECT_THAT(split(paths, 2), ElementsAre(Pair(kSolve, 10)));
}

TEST(CallPaths, LeavingAnOuterRegionClosesTheInnerOnes) {
  const Trace trace =
      one_rank("@0 enter solve\n@0 enter exchange\n@1 +1 pack\n@3 leave solve\n@5 +1 pack\n");
  const CallPaths paths(trace);
  EXPECT_EQ(region_of(paths, 0), kExchange);
  EXPECT_EQ(region_of(paths, 1), kNoRegion);
}

TEST(CallPaths, LeavingWhatIsNotOpenIsIgnored) {
  const Trace trace = one_rank("@0 enter solve\n@1 leave exchange\n@5 +1 pack\n");
  EXPECT_EQ(region_of(CallPaths(trace), 0), kSolve);
}

TEST(CallPaths, ARegionMayBeEnteredTwice) {
  const Trace trace = one_rank(
      "@0 enter solve\n@0 enter solve\n@1 +1 pack\n@3 leave solve\n@5 +1 pack\n@6 leave solve\n"
      "@7 +1 pack\n");
  const CallPaths paths(trace);
  EXPECT_EQ(region_of(paths, 1), kSolve);
  EXPECT_EQ(region_of(paths, 2), kNoRegion);
}

}  // namespace
}  // namespace slackline
