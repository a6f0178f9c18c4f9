#include "app/report/run_sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/build.h"
#include "graph/testing/text_graph.h"
#include "page/testing/simulated_wire.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;
using testing::timed_trace;

TEST(SimulatedRunReport, SaysWhatContentionCosts) {
  // Two messages of 1 ms each share the wire from the same moment on: both take twice as long.
  const testing::SimulatedOnWire s(timed_trace(4,
                                               "rank 0\n @1000 +5 send to=1 bytes=1000000\n"
                                               "rank 1\n @0 +7 recv from=0 bytes=1000000\n"
                                               "rank 2\n @1000 +5 send to=3 bytes=1000000\n"
                                               "rank 3\n @0 +7 recv from=2 bytes=1000000\n"));
  const ExecutionGraph graph = build_graph(s.trace, {});
  const Report report = simulated_run_report(s.run(), s.trace, predict(s.trace, graph, {}));
  EXPECT_NEAR(report.result["simulation"]["makespan_ns"].as_double(), 2'001'032, 2);
  ASSERT_EQ(report.sections.size(), 1u);
  const auto& said = std::get<Paragraph>(report.sections[0].items[1]).text;
  EXPECT_THAT(said, HasSubstr("100.0 % of 2 messages were delayed by contention"));
  EXPECT_THAT(said, HasSubstr("total transfer time is 2.00 x that without contention"));
  EXPECT_THAT(said, HasSubstr("link wire"));
  ASSERT_FALSE(report.sections[0].children.empty());
  EXPECT_EQ(report.sections[0].children[0].id, "simulated-links");
}

}  // namespace
}  // namespace slackline
