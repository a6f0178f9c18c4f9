#include "app/report/pair_matrices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/testing/text_graph.h"
#include "timing/model_schedule.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using testing::timed_trace;

TEST(PairMatrices, SayWhoSendsToWhomAndWhoWaitsForWhom) {
  const Trace trace = timed_trace(2,
                                  "rank 0\n @100 +5 send to=1 bytes=8\n"
                                  "rank 1\n @30 +80 recv from=0 bytes=8\n");
  const CallMatching matching(trace);
  const WaitStates waits = wait_states(trace, matching);
  const ExecutionGraph graph = build_graph(trace, {});
  const Report report =
      pair_matrices(trace, matching, &waits, graph, model_schedule(graph, LogGPS{}));
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
