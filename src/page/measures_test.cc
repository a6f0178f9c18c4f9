#include "page/timeline_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "page/testing/column_reader.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

using testing::ColumnReader;
using ::testing::ElementsAre;

/// Two ranks that live from 0 to 3200 ns, so that each of 32 windows has 100 ns; rank 0 calls
/// MPI_Barrier from 1000 to 1200 ns.
TraceBuilder barrier_of_two() {
  TraceBuilder builder(2, true);
  Call barrier{.operation = Operation::barrier, .begin_ns = 1000, .end_ns = 1200};
  builder.calls(0).append(barrier);
  builder.calls(1).append(barrier);
  builder.calls(0).set_stop_ns(3200);
  builder.calls(1).set_stop_ns(3200);
  return builder;
}

const Timeline::Measure* find(const std::vector<Timeline::Measure>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Timeline::Measure::name);
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::int64_t> row(const Timeline::Measure& measure, std::size_t rank) {
  ColumnReader in(measure.blob);
  const auto all = in.varints(2 * measure.windows);
  EXPECT_TRUE(in.at_end());
  const auto from = all.begin() + static_cast<std::ptrdiff_t>(rank * measure.windows);
  return {from, from + static_cast<std::ptrdiff_t>(measure.windows)};
}

std::int64_t sum(const std::vector<std::int64_t>& values, std::size_t from, std::size_t to) {
  std::int64_t all = 0;
  for (std::size_t i = from; i < to; ++i) all += values[i];
  return all;
}

TEST(Measures, AmountsAreDistributedOverTheTimeThatTheyAreOf) {
  TraceBuilder builder = barrier_of_two();
  const std::size_t counter = builder.add_counter("PAPI_TOT_INS");
  builder.calls(0).set_counter(counter, {2000, 400});
  builder.calls(1).append_pause({1500, 1600, 1, PauseKind::no_processor});
  const Trace trace = std::move(builder).build();
  Samples samples;
  samples.set(1, {{.time_ns = 250, .cpu_ns = 10, .frame = 0, .before_call = 0, .thread = 0}});
  const auto all = rank_measures(trace, &samples);
  ASSERT_EQ(all.size(), 4u) << "nothing blocked";

  const Timeline::Measure* gained = find(all, "PAPI_TOT_INS");
  ASSERT_NE(gained, nullptr);
  ASSERT_EQ(gained->windows, 32u);
  EXPECT_EQ(gained->width_ns, 100);
  const auto values = row(*gained, 0);
  for (std::size_t w = 0; w < 10; ++w) EXPECT_EQ(values[w], 200) << w;
  EXPECT_EQ(sum(values, 10, 12), 0) << "MPI_Barrier";
  for (std::size_t w = 12; w < 32; ++w) EXPECT_EQ(values[w], 20) << w;
  EXPECT_EQ(sum(row(*gained, 1), 0, 32), 0);

  const auto off = row(*find(all, "without a processor"), 1);
  EXPECT_EQ(off[15], 100);
  EXPECT_EQ(sum(off, 0, 32), 100);
  EXPECT_EQ(row(*find(all, "samples"), 1)[2], 1);
  const auto computation = row(*find(all, "computation"), 0);
  EXPECT_EQ(sum(computation, 0, 32), 3000) << "3200 ns less the barrier";
}

TEST(Measures, AmountsHaveThreeDigits) {
  TraceBuilder builder = barrier_of_two();
  const std::size_t counter = builder.add_counter("PAPI_TOT_INS");
  builder.calls(0).set_counter(counter, {12'345'678'900, 0});
  const Trace trace = std::move(builder).build();
  const auto all = rank_measures(trace, nullptr);
  const auto values = row(*find(all, "PAPI_TOT_INS"), 0);
  for (std::size_t w = 0; w < 10; ++w) {
    EXPECT_NEAR(static_cast<double>(values[w]), 1.23456789e9, 1e-3 * 1.23456789e9);
  }
}

TEST(Measures, OfAnUntimedTraceThereAreNone) {
  EXPECT_TRUE(rank_measures(TraceBuilder(2, false).build(), nullptr).empty());
}

TEST(IpcCodes, AreInstructionsPerCycleOfTheTimeBeforeACall) {
  TraceBuilder builder = barrier_of_two();
  const std::size_t instructions = builder.add_counter("PAPI_TOT_INS");
  const std::size_t cycles = builder.add_counter("PAPI_TOT_CYC");
  builder.calls(0).set_counter(instructions, {3000, 500});
  builder.calls(0).set_counter(cycles, {2000, 0});
  builder.calls(1).set_counter(instructions, {1000'000});
  builder.calls(1).set_counter(cycles, {10});
  const Trace trace = std::move(builder).build();
  const IpcCodes codes(trace);
  ASSERT_TRUE(codes.known());
  EXPECT_EQ(codes.at(trace.calls(0), 0), 1 + 48) << "3 instructions in 2 cycles";
  EXPECT_EQ(codes.at(trace.calls(0), 1), 0) << "no cycles";
  EXPECT_EQ(codes.at(trace.calls(1), 0), 255) << "the most that there is";
}

TEST(IpcCodes, AreUnknownWithoutBothCounters) {
  TraceBuilder builder = barrier_of_two();
  EXPECT_FALSE(IpcCodes(barrier_of_two().build()).known());
  builder.calls(0).set_counter(builder.add_counter("PAPI_TOT_INS"), {3000, 500});
  for (const Trace& trace : {barrier_of_two().build(), std::move(builder).build()}) {
    const IpcCodes codes(trace);
    EXPECT_FALSE(codes.known());
    for (std::size_t i = 0; i <= trace.calls(0).size(); ++i) {
      EXPECT_EQ(codes.at(trace.calls(0), i), 0) << i;
    }
  }
}

}  // namespace
}  // namespace slackline
