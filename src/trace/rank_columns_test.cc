#include "trace/rank_columns.h"

#include <gtest/gtest.h>

#include <array>

#include "trace/trace_builder.h"

namespace slackline {
namespace {

Call call_at(std::int64_t ns) {
  return {.operation = Operation::send, .begin_ns = ns, .end_ns = ns + 1, .bytes = 8, .peer = 1};
}

void append_calls(TraceBuilder& trace, std::int32_t rank, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) trace.calls(rank).append(call_at(100 * rank + i));
}

void expect_calls(const Trace& trace, std::int32_t rank, std::int64_t count) {
  const RankCalls& calls = trace.calls(rank);
  ASSERT_EQ(calls.size(), static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(calls.begin_ns(at), 100 * rank + i);
    EXPECT_EQ(calls.end_ns(at), 100 * rank + i + 1);
    EXPECT_EQ(calls.bytes(at), 8u);
    EXPECT_EQ(calls.peer(at), 1);
    EXPECT_EQ(calls.operation(at), Operation::send);
  }
}

bool joined(const Trace& trace) {
  for (std::int32_t r = 1; r < trace.ranks(); ++r) {
    if (!trace.calls(r).continues(trace.calls(r - 1))) return false;
  }
  return true;
}

TEST(RankColumns, OfRanksWithKnownLengthsAreJoinedFromTheBegin) {
  TraceBuilder trace(3, true);
  trace.reserve_calls(std::array<std::size_t, 3>{20, 0, 30});
  append_calls(trace, 2, 30);  // in any order
  append_calls(trace, 0, 20);
  EXPECT_TRUE(joined(trace));
  const std::int64_t* const first = trace.calls(0).begins_ns().data();
  EXPECT_EQ(trace.calls(2).begins_ns().data(), first + 20);
  trace.join_columns();
  EXPECT_EQ(trace.calls(0).begins_ns().data(), first) << "nothing is moved";
  expect_calls(trace, 0, 20);
  expect_calls(trace, 2, 30);
}

TEST(RankColumns, AreJoinedInTheEndWhereLengthsAreNotKnown) {
  TraceBuilder trace(3, true);
  append_calls(trace, 0, 5);
  append_calls(trace, 1, 50);
  append_calls(trace, 2, 17);
  EXPECT_FALSE(joined(trace));
  trace.join_columns();
  EXPECT_TRUE(joined(trace));
  expect_calls(trace, 0, 5);
  expect_calls(trace, 1, 50);
  expect_calls(trace, 2, 17);
}

TEST(RankColumns, WithFewerCallsThanPromisedAreJoinedInTheEnd) {
  TraceBuilder trace(2, true);
  trace.reserve_calls(std::array<std::size_t, 2>{20, 20});
  append_calls(trace, 0, 19);
  append_calls(trace, 1, 20);
  EXPECT_FALSE(joined(trace));
  trace.join_columns();
  EXPECT_TRUE(joined(trace));
  expect_calls(trace, 0, 19);
  expect_calls(trace, 1, 20);
}

TEST(RankColumns, GrowBeyondWhatWasPromisedWithoutTouchingTheNextRank) {
  TraceBuilder trace(2, true);
  trace.reserve_calls(std::array<std::size_t, 2>{2, 3});
  append_calls(trace, 1, 3);
  append_calls(trace, 0, 40);
  expect_calls(trace, 0, 40);
  expect_calls(trace, 1, 3);
  trace.calls(0).shrink();
  trace.join_columns();
  EXPECT_TRUE(joined(trace));
  expect_calls(trace, 0, 40);
  expect_calls(trace, 1, 3);
}

TEST(RankColumns, CopiesAreChangedApart) {
  TraceBuilder trace(2, true);
  append_calls(trace, 0, 4);
  append_calls(trace, 1, 4);
  trace.join_columns();
  TraceBuilder copy = trace;
  copy.calls(0).map_times([](std::int64_t t) { return t + 1000; });
  append_calls(copy, 0, 1);
  expect_calls(trace, 0, 4);
  expect_calls(trace, 1, 4);
  EXPECT_EQ(copy.calls(0).begin_ns(3), 1003);
  EXPECT_EQ(copy.calls(0).size(), 5u);
  copy = trace;
  expect_calls(copy, 0, 4);
  const Trace moved = std::move(copy).build();
  expect_calls(moved, 1, 4);
}

TEST(RankColumns, OfNoCallsAreJoined) {
  TraceBuilder trace(2, true);
  trace.reserve_calls(std::array<std::size_t, 2>{0, 0});
  trace.join_columns();
  EXPECT_TRUE(joined(trace));
  append_calls(trace, 1, 2);
  trace.join_columns();
  EXPECT_TRUE(joined(trace));
  expect_calls(trace, 1, 2);
}

}  // namespace
}  // namespace slackline
