#include "page/pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/testing/text_trace.h"
#include "page/timeline.h"

namespace slackline {
namespace {

TEST(Pictures, SayOnWhichRankThePathOfAPhaseIs) {
  const Trace trace =
      testing::timed_trace(2, "rank 0\n @100 +5 barrier\nrank 1\n @30 +75 barrier\n");
  const CallMatching matching(trace);
  const CallPaths paths(trace);
  const WaitStates waits = wait_states(trace, matching);
  const CriticalPath path = critical_path(trace, matching, paths, {.extent = PathExtent::segments});
  Monitor monitor;
  monitor.intervals.resize(2);
  monitor.intervals[0].path_rank = 0;
  monitor.intervals[0].path_share = 0.5;
  const ComparedPicture side{"run", trace, matching, paths, {waits, path, monitor}};
  const Section section = compared_timelines(side, side);
  const auto* const drawn =
      dynamic_cast<const Timeline*>(std::get<PicturePtr>(section.items.front()).get());
  ASSERT_NE(drawn, nullptr);
  ASSERT_EQ(drawn->phases.size(), 2u);
  EXPECT_THAT(drawn->phases[0].explanation, ::testing::HasSubstr("critical path on rank 0 for 50"));
  EXPECT_THAT(drawn->phases[1].explanation, ::testing::Not(::testing::HasSubstr("critical path")));
}

}  // namespace
}  // namespace slackline
