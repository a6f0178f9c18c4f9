#include "timing/model_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/testing/text_graph.h"
#include "timing/testing/small_model.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using testing::kNs;
using testing::timed_trace;
using testing::untimed_graph;

TEST(ModelSchedule, OfOneMessage) {
  // Rank 0: 100 ns, send (o = 2). Rank 1 receives 11 bytes: arrival 102 + L 30 + 10 * G 1 = 142,
  // completion 144, then 6 ns of its own.
  const ExecutionGraph graph = untimed_graph(
      2,
      "rank 0\n compute 100\n send to=1 bytes=11\nrank 1\n recv from=0 bytes=11\n compute 6\n"
      " pcontrol\n");
  const Schedule s = model_schedule(graph, {30 * kNs, 2 * kNs, kNs});
  EXPECT_THAT(s.rank_end_ps, ElementsAre(102'000, 150'000));
  EXPECT_EQ(s.makespan_ps, 150'000);
  EXPECT_EQ(s.last_rank, 1);
}

TEST(ModelSchedule, AReceiverThatIsLateDecidesItself) {
  const ExecutionGraph graph = untimed_graph(
      2, "rank 0\n send to=1 bytes=11\nrank 1\n compute 500\n recv from=0 bytes=11\n");
  const Schedule s = model_schedule(graph, {30 * kNs, 2 * kNs, kNs});
  EXPECT_EQ(s.makespan_ps, 502'000);
  const VertexId end = graph.last_vertex(1);
  EXPECT_EQ(graph.in_edge(end, s.decided_by[end]).kind, EdgeKind::compute);
}

TEST(ModelSchedule, TiesGoToThePathThatCrossesTheNetworkMoreOften) {
  // The receiver is ready exactly when the message arrives: 100 = 70 + L.
  const ExecutionGraph graph =
      untimed_graph(2, "rank 0\n compute 70\n send to=1\nrank 1\n compute 100\n recv from=0\n");
  const Schedule s = model_schedule(graph, {30 * kNs, 0, 0});
  const VertexId end = graph.last_vertex(1);
  EXPECT_EQ(s.time_ps[end], 100'000);
  EXPECT_EQ(graph.in_edge(end, s.decided_by[end]).kind, EdgeKind::message);
}

TEST(ModelSchedule, TiesOfRanksGoToTheOneReachedOverTheNetwork) {
  const ExecutionGraph graph = untimed_graph(
      3,
      "rank 0\n compute 100\n pcontrol\nrank 1\n compute 70\n send to=2\nrank 2\n recv from=1\n");
  const Schedule s = model_schedule(graph, {30 * kNs, 0, 0});
  EXPECT_EQ(s.makespan_ps, 100'000);
  EXPECT_EQ(s.last_rank, 2);
}

TEST(ModelSchedule, RanksStartWhenTheyLeaveInit) {
  const Trace trace = timed_trace(2,
                                  "rank 0\n @0 +50 init\n @60 +5 send to=1\n @70 finalize\n"
                                  "rank 1\n @0 +80 init\n @90 +5 recv from=0\n @100 finalize\n");
  const Schedule s = model_schedule(build_graph(trace, {}), {kNs, kNs, 0});
  // Zero is rank 0's 50. Rank 0: 10 + o + 5. Rank 1 starts at 30: 40 + o + 5 (the message came at
  // 12).
  EXPECT_THAT(s.rank_end_ps, ElementsAre(16'000, 46'000));
}

TEST(PicosecondCost, RoundsEachPartAndKeepsTheirSum) {
  // 18 fs a byte: 27 paid bytes are 486 fs, which rounds to 0 ps; 28 are 504 fs, 1 ps.
  const PicosecondCost cost({1'499, 1'500, 18});
  const auto bandwidth = [&](std::uint64_t bytes) {
    return cost(Edge{0, EdgeKind::message, 0, 0, 0, bytes}).bandwidth_ps;
  };
  EXPECT_EQ(bandwidth(28), 0);
  EXPECT_EQ(bandwidth(29), 1);
  EXPECT_EQ(bandwidth(0), 0);
  const EdgeCost mixed = cost(Edge{0, EdgeKind::protocol, 2, 3, 0, 1001});
  EXPECT_EQ(mixed.latency_ps, 2);   // 1.499 ps -> 1, twice
  EXPECT_EQ(mixed.overhead_ps, 6);  // 1.5 ps -> 2, three times
  EXPECT_EQ(mixed.bandwidth_ps, 18);
  EXPECT_EQ(mixed.total_ps(), 26);
}

TEST(ModelSchedule, OfNothing) {
  const Schedule s = model_schedule(untimed_graph(1, "rank 0\n"), {kNs, kNs, kNs});
  EXPECT_EQ(s.makespan_ps, 0);
  EXPECT_THAT(s.decided_by, ElementsAre(Schedule::kUndecided));
}

/// 2e12 bytes at 8 ns each are 4.4 hours, but 1.6e19 fs, which 64 bits do not hold.
TEST(ModelSchedule, LongMessagesDoNotOverflow) {
  const auto makespan = [](const std::string& bytes, std::int64_t gap_fs) {
    const ExecutionGraph graph = untimed_graph(
        2, "rank 0\n send to=1 bytes=" + bytes + "\nrank 1\n recv from=0 bytes=" + bytes + "\n");
    return model_schedule(graph, {0, 0, gap_fs}).makespan_ps;
  };
  EXPECT_EQ(makespan("2000000000001", 8'000'000), 16'000'000'000'000'000);
  EXPECT_THROW(makespan("4000000000000000000", 8'000'000), Error);
}

}  // namespace
}  // namespace slackline
