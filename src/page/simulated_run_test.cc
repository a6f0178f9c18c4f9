#include "page/simulated_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "graph/testing/text_graph.h"
#include "page/testing/simulated_wire.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;
using testing::timed_trace;

// Rank 0 computes 1 us and sends a million bytes and 16, which take 1 ms and 16 ns; rank 1 waits
// from 0 on.
constexpr const char* kOneMessage =
    "rank 0\n @1000 +5 send to=1 bytes=1000000\n"
    "rank 1\n @0 +7 recv from=0 bytes=1000000\n";

TEST(SimulatedRun, IsDrawnWithItsOwnTimesWaitsAndPath) {
  const testing::SimulatedOnWire s(timed_trace(2, kOneMessage));
  const CallMatching matching(s.trace);
  const SimulatedRow row(s.trace, matching, s.run());
  constexpr std::int64_t kOffset = 500;
  const TimelineRun drawn = row.drawn(kOffset);
  EXPECT_EQ(drawn.id, "simulated");
  EXPECT_EQ(drawn.times.ranks[0].begin_ns(0), kOffset + 1000);
  EXPECT_EQ(drawn.times.ranks[1].begin_ns(0), kOffset);
  EXPECT_NEAR(static_cast<double>(drawn.times.ranks[1].end_ns(0)), kOffset + 1'001'016, 2);
  EXPECT_NEAR(static_cast<double>(drawn.times.span_ns), kOffset + 1'001'016, 2);
  ASSERT_NE(drawn.waits, nullptr);
  std::int64_t waited = 0;
  for (const WaitState& w : drawn.waits->states) {
    if (w.rank == 1 && w.pattern == WaitPattern::late_sender) waited += w.wait_ns;
  }
  EXPECT_EQ(waited, 1000) << "the simulated sender comes 1 us late";
  ASSERT_FALSE(drawn.path.empty());
  EXPECT_EQ(drawn.path.front().begin_ns, kOffset);
  EXPECT_EQ(drawn.path.front().rank, 0) << "it begins with the sender's computation";
}

TEST(SimulatedRun, ShowsTheUseOfItsLinks) {
  const testing::SimulatedOnWire s(timed_trace(2, kOneMessage));
  constexpr std::int64_t kOffset = 500;
  const auto strips = link_strips(s.run(), kOffset);
  ASSERT_EQ(strips.size(), 1u);
  EXPECT_THAT(strips[0].name, HasSubstr("wire"));
  EXPECT_EQ(strips[0].run, "simulated");
  EXPECT_EQ(strips[0].from_ns, kOffset);
  const double sum = std::accumulate(strips[0].values.begin(), strips[0].values.end(), 0.0);
  // A million bytes and 16 at a byte a nanosecond, however the stretches lie (single precision).
  EXPECT_NEAR(sum * strips[0].width_ns, 1'000'016, 1);
}

}  // namespace
}  // namespace slackline
