#include "page/matrices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/testing/text_graph.h"

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
  EXPECT_THAT(
      largest,
      ElementsAre(
          ElementsAre(Value(std::int64_t{0}), Value(std::int64_t{998}), Value(std::int64_t{12})),
          ElementsAre(Value(std::int64_t{4}), Value(std::int64_t{2}), Value(std::int64_t{1}))));
}

TEST(Matrices, SayWhoSendsToWhomAndWhoWaitsForWhom) {
  const Trace trace = timed_trace(2,
                                  "rank 0\n @100 +5 send to=1 bytes=8\n"
                                  "rank 1\n @30 +80 recv from=0 bytes=8\n");
  const CallMatching matching(trace);
  const WaitStates waits = wait_states(trace, matching);
  const Section section = matrices(trace, matching, &waits, build_graph(trace, {}), {});
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
