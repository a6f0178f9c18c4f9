#include "page/matrices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/testing/text_graph.h"
#include "timing/model_schedule.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using testing::timed_trace;

TEST(PairSums, AreByBlocksAboveItsLimit) {
  PairSums sums(1000);
  EXPECT_EQ(sums.block(), 2);
  sums.add(0, 999, 5);
  sums.add(1, 998, 7);
  sums.add(4, 2, 1);
  const Matrix m = sums.matrix({});
  EXPECT_EQ(m.size, 500);
  EXPECT_EQ(m.total, 13u);
  EXPECT_EQ(m.maximum, 12u);
  EXPECT_EQ(m.cells.bytes, 500u * 500u);
  const auto largest = sums.largest(2);
  ASSERT_EQ(largest.size(), 2u);
  EXPECT_EQ(largest[0].row, 0);
  EXPECT_EQ(largest[0].column, 998);
  EXPECT_EQ(largest[0].value, 12);
  EXPECT_EQ(largest[1].row, 4);
  EXPECT_EQ(largest[1].column, 2);
  EXPECT_EQ(largest[1].value, 1);
}

TEST(Matrices, SayWhoSendsToWhomAndWhoWaitsForWhom) {
  const Trace trace = timed_trace(2,
                                  "rank 0\n @100 +5 send to=1 bytes=8\n"
                                  "rank 1\n @30 +80 recv from=0 bytes=8\n");
  const CallMatching matching(trace);
  const WaitStates waits = wait_states(trace, matching);
  const ExecutionGraph graph = build_graph(trace, {});
  const Report report = matrices(trace, matching, &waits, graph, model_schedule(graph, LogGPS{}));
  EXPECT_EQ(report.result["matrices"][0]["total"], 8);
  const Section& section = report.sections.front();
  std::vector<std::string> ids;
  for (const Item& item : section.items) {
    const auto* table = std::get_if<Table>(&item);
    if (table == nullptr) continue;
    ids.push_back(table->id);
    ASSERT_EQ(table->rows.size(), 1u);
    const bool waiting = table->id == "matrix-waiting-largest";
    EXPECT_EQ(table->rows[0][0], Value(std::int64_t{waiting ? 1 : 0}));
    EXPECT_EQ(table->rows[0][1], Value(std::int64_t{waiting ? 0 : 1}));
  }
  EXPECT_THAT(ids, ElementsAre("matrix-bytes-largest", "matrix-messages-largest",
                               "matrix-waiting-largest", "matrix-latency-largest"));
}

}  // namespace
}  // namespace slackline
