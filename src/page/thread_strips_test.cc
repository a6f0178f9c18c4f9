#include "page/timeline_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "formats/testing/text_trace.h"

namespace slackline {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

double work_ns(const Timeline::Strip& strip) {
  return strip.width_ns * std::accumulate(strip.values.begin(), strip.values.end(), 0.0);
}

TEST(ThreadStrips, AreThoseOfTheTeamsThreads) {
  const Trace trace = testing::timed_trace(
      2,
      "rank 0\n @0 +0 barrier\n @0 +640 parallel busy=640,320 waiting=0,320\n @640 +0 barrier\n"
      "rank 1\n @0 +0 barrier\n @640 +0 barrier\n");
  const auto strips = thread_strips(trace);
  ASSERT_THAT(strips, SizeIs(1));
  EXPECT_EQ(strips[0].name, "rank 0 thread 1");
  EXPECT_NEAR(work_ns(strips[0]), 320, 1e-6);
  EXPECT_NEAR(strips[0].values[10], 0.5, 1e-9);
}

TEST(ThreadStrips, AreNoneWithoutRegions) {
  EXPECT_THAT(thread_strips(testing::timed_trace(1, "rank 0\n @0 +10 barrier\n")), IsEmpty());
}

TEST(ThreadStrips, AreOneMeanOfManyThreads) {
  const std::string text =
      "rank 0\n @0 +0 barrier\n @0 +640 parallel busy=640,640*20 waiting=0*21\n @640 +0 barrier\n";
  const auto strips = thread_strips(testing::timed_trace(1, text));
  ASSERT_THAT(strips, SizeIs(1));
  EXPECT_NEAR(strips[0].values[10], 1, 1e-9);
}

}  // namespace
}  // namespace slackline
