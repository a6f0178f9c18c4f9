#include "sim/engine/statistics.h"

#include <gtest/gtest.h>

#include "formats/testing/text_trace.h"

namespace slackline::sim {
namespace {

class TimeAccountingTest : public ::testing::Test {
 protected:
  const RankTimes& times() const { return result_.ranks[0]; }

  const Trace trace_ = testing::untimed_trace(2, "rank 0\n barrier\nrank 1\n barrier\n");
  Simulation result_;
  TimeAccounting accounting_{trace_, true, result_};
  ExecutionContext context_;
};

// From 1 s to 6 s for a message that left at 4 s.
TEST_F(TimeAccountingTest, WaitsUntilTheMessageLeavesAndThenForItsTransfer) {
  context_.waiting.accounted = 1;
  accounting_.add_wait(context_, 4, 6);
  EXPECT_EQ(times().wait, 3);
  EXPECT_EQ(times().transfer, 2);
  EXPECT_EQ(context_.waiting.accounted, 6);
  // One that had left before: all is transfer. One that leaves later: all is waiting.
  accounting_.add_wait(context_, 2, 7);
  EXPECT_EQ(times().transfer, 3);
  accounting_.add_wait(context_, 100, 9);
  EXPECT_EQ(times().wait, 5);
}

TEST_F(TimeAccountingTest, DoesNotWaitWhileOverheadsArePaid) {
  context_.waiting.accounted = 1;
  context_.waiting.busy_until = 3;
  accounting_.add_wait(context_, 0, 2);
  EXPECT_EQ(times().wait + times().transfer, 0);
  accounting_.add_wait(context_, 4, 5);
  EXPECT_EQ(times().wait, 1);
  EXPECT_EQ(times().transfer, 1);
}

TEST_F(TimeAccountingTest, LeavesOutWhatRunsBesideTheProgram) {
  context_.main = false;
  accounting_.add_compute(context_, 1);
  accounting_.add_overhead(context_, 1);
  accounting_.add_wait(context_, 1, 2);
  EXPECT_EQ(times().compute + times().overhead + times().wait + times().transfer, 0);
}

TEST_F(TimeAccountingTest, EndsCallsAndComputation) {
  context_.program.computing_since = 2;
  accounting_.end_item(context_, 5);
  EXPECT_EQ(times().compute, 3);
  context_.program.call_open = true;
  context_.program.call_began = 5;
  accounting_.end_item(context_, 9);
  EXPECT_EQ(times().compute, 3);
  const OperationTimes& barriers = result_.operations[static_cast<std::size_t>(Operation::barrier)];
  EXPECT_EQ(barriers.calls, 1u);
  EXPECT_EQ(barriers.seconds, 4);
  EXPECT_EQ(result_.calls[0][0].begin, 5);
  EXPECT_EQ(result_.calls[0][0].end, 9);
}

TEST_F(TimeAccountingTest, WaitsForTheLastRankAtTheEnd) {
  accounting_.end_rank(0, 4);
  accounting_.end_rank(1, 10);
  accounting_.finish();
  EXPECT_EQ(result_.makespan, 10);
  EXPECT_EQ(result_.last_rank, 1);
  EXPECT_EQ(result_.ranks[0].wait, 6);
  EXPECT_EQ(result_.ranks[1].wait, 0);
}

}  // namespace
}  // namespace slackline::sim
