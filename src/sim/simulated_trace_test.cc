#include "sim/simulation.h"

#include <gtest/gtest.h>

#include "formats/testing/text_trace.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

Simulation recorded(std::vector<std::vector<CallTimes>> calls) {
  Simulation simulation;
  simulation.region_ends.resize(calls.size());
  simulation.calls = std::move(calls);
  return simulation;
}

TEST(SimulatedTrace, HasOtherTimesAndNothingElse) {
  const Trace trace = testing::timed_trace(1, R"(
frame 1 0 "main" file="a.c" line=3 module="a"
counter 0 "PAPI_TOT_INS"
rank 0 host=n0 start=100
  @200 +300 init frame=1
  @600 enter "solve"
  @700 +50 pause
  counted 9
  @1000 +10 barrier frame=1 thread=2
  @1100 leave "solve"
  @1200 +10 finalize frame=1
)");
  const Trace timed =
      simulated_trace(trace, recorded({{{0, 0}, {500e-9, 700e-9}, {890e-9, 890e-9}}}));
  const Trace expected = testing::timed_trace(1, R"(
frame 1 0 "main" file="a.c" line=3 module="a"
counter 0 "PAPI_TOT_INS"
rank 0 host=n0
  @0 init frame=1
  @100 enter "solve"
  @200 +50 pause
  counted 9
  @500 +200 barrier frame=1 thread=2
  @790 leave "solve"
  @890 finalize frame=1
)");
  EXPECT_TRUE(same_content(timed, expected));
  EXPECT_EQ(timed.counters(), expected.counters());
  EXPECT_EQ(timed.calls(0).counter(0, 1), 9u);
  ASSERT_EQ(timed.calls(0).pauses().size(), 1u);
  EXPECT_EQ(timed.calls(0).pauses()[0].begin_ns, 200);
  EXPECT_EQ(timed.rank_info(0).host, "n0");
}

TEST(SimulatedTrace, PlacesActionsInFlopsWhereTheSimulationEndedThem) {
  TraceBuilder trace = testing::untimed_trace(
      1, "rank 0\n init\n enter compute\n compute 5\n leave compute\n barrier\n finalize\n");
  trace.info().flops_per_second = 1e9;
  Simulation simulation = recorded({{{0, 0}, {70e-9, 80e-9}, {90e-9, 90e-9}}});
  simulation.region_ends = {{70e-9}};
  const Trace timed = simulated_trace(std::move(trace).build(), simulation);
  ASSERT_EQ(timed.calls(0).regions().size(), 2u);
  EXPECT_EQ(timed.calls(0).regions()[0].time_ns, 0);
  EXPECT_EQ(timed.calls(0).regions()[1].time_ns, 70);
  EXPECT_TRUE(timed.timed());
  EXPECT_EQ(timed.info().flops_per_second, 0);
}

}  // namespace
}  // namespace slackline
