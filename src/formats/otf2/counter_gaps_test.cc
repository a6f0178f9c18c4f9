#include "formats/otf2/counter_gaps.h"

#include <gtest/gtest.h>

namespace slackline::otf2 {
namespace {

using Values = std::vector<std::vector<std::uint64_t>>;

// Score-P reads at every enter and leave: what is gained inside of a call is none of a gap's.
TEST(CounterGaps, LeavesOutWhatCallsGain) {
  CounterGaps gaps(2);
  gaps.read(0, 100);  // the first reading is the zero
  gaps.read(0, 115);
  gaps.begin_call();
  gaps.read(0, 140);
  gaps.end_call();
  gaps.read(0, 141);
  gaps.begin_call();
  gaps.read(0, 150);
  gaps.end_call();
  gaps.read(0, 157);
  EXPECT_EQ(gaps.finish(), (Values{{15, 1, 7}, {}}));
}

// MPI_Comm_rank is no call of a Trace: what it gains belongs to the gap around it.
TEST(CounterGaps, CallsLeftOutArePartOfTheGap) {
  CounterGaps gaps(1);
  gaps.read(0, 0);
  gaps.begin_call();
  gaps.read(0, 3);
  gaps.read(0, 10);
  gaps.begin_call();
  gaps.end_call();
  EXPECT_EQ(gaps.finish(), (Values{{10, 0}}));
}

// Counters of 64 bits that wrap around.
TEST(CounterGaps, TotalsMayWrap) {
  CounterGaps gaps(1);
  gaps.read(0, ~std::uint64_t{0} - 4);
  gaps.read(0, 5);
  gaps.begin_call();
  gaps.end_call();
  EXPECT_EQ(gaps.finish(), (Values{{10, 0}}));
}

}  // namespace
}  // namespace slackline::otf2
