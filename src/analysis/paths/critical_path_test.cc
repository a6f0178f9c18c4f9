#include "analysis/paths/critical_path.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <utility>

#include "analysis/paths/imbalance.h"
#include "analysis/paths/run_path.h"
#include "base/error.h"
#include "formats/text/text.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using testing::timed_trace;

CriticalPath measured_path_of(const Trace& trace, PathAlgorithm algorithm = PathAlgorithm::dag) {
  const CallPaths paths(trace);
  return critical_path(trace, CallMatching(trace), paths, {.algorithm = algorithm});
}

std::vector<std::string> lines_of(const CriticalPath& path) {
  std::vector<std::string> lines;
  for (const ActivitySegment& s : path.segments) {
    lines.push_back(std::to_string(s.end_ns) + " " + std::to_string(s.rank) + " " +
                    std::string(identifier(s.operation)));
  }
  return lines;
}

const Trace& late_sender() {
  static const Trace trace = timed_trace(2,
                                         "rank 0\n @100 +5 send to=1 bytes=8\n"
                                         "rank 1\n @30 +80 recv from=0 bytes=8\n @150 +2 pack\n");
  return trace;
}

TEST(CriticalPath, GoesToTheOneWaitedFor) {
  // Rank 1 waits until 100 for rank 0, needs 10 more to receive, computes 40.
  const CriticalPath path = measured_path_of(late_sender());
  EXPECT_THAT(lines_of(path), ElementsAre("100 0 none", "110 1 recv", "150 1 none", "152 1 pack"));
  EXPECT_EQ(path.makespan_ns, 152);
  EXPECT_THAT(path.by_rank, ElementsAre(100, 52));
}

TEST(CriticalPath, EndsWithWhoEntersFinalizeLast) {
  // Rank 1 waits in MPI_Finalize until 100 and leaves it 25 later.
  const CriticalPath path =
      measured_path_of(timed_trace(2, "rank 0\n @100 +20 finalize\nrank 1\n @40 +85 finalize\n"));
  EXPECT_THAT(lines_of(path), ElementsAre("100 0 none", "125 1 finalize"));
}

TEST(CriticalPath, KnowsThatFinalizeNeedNotWait) {
  const CriticalPath path =
      measured_path_of(timed_trace(2, "rank 0\n @100 +20 finalize\nrank 1\n @40 +5 finalize\n"));
  EXPECT_THAT(lines_of(path), ElementsAre("100 0 none", "120 0 finalize"));
  EXPECT_TRUE(path.findings.empty());
}

TEST(CriticalPath, IsTheSameByAllAlgorithms) {
  const Trace trace = timed_trace(3,
                                  "rank 0\n @10 +55 barrier\n @70 +20 allreduce bytes=8\n"
                                  "rank 1\n @60 +8 barrier\n @75 +15 allreduce bytes=8\n"
                                  "rank 2\n @40 +30 barrier\n @80 +10 allreduce bytes=8\n");
  for (const PathAlgorithm a : kPathAlgorithms) {
    const CriticalPath path = measured_path_of(trace, a);
    EXPECT_EQ(path.makespan_ns, 90) << to_string(a);
    EXPECT_EQ(std::accumulate(path.by_rank.begin(), path.by_rank.end(), std::int64_t{0}), 90);
    EXPECT_EQ(path.parts, 3u);  // cut at both collectives
  }
}

TEST(CriticalPath, TellsWhatAnActivityCouldGain) {
  // Without rank 0's computation the run would last rank 1's own 30 + 10 + 40 + 2.
  const CriticalPath path = measured_path_of(late_sender());
  ASSERT_FALSE(path.activities.empty());
  EXPECT_EQ(path.activities[0].operation, Operation::none);
  EXPECT_EQ(path.activities[0].on_path_ns, 140);
  EXPECT_EQ(path.activities[0].gain_ns, 140);  // of all computation, rank 1's too
  EXPECT_DOUBLE_EQ(path.activities[0].mean_ns, (100.0 + 70) / 2);
  EXPECT_DOUBLE_EQ(path.activities[0].imbalance_ns, 140 - 85.0);
}

TEST(CriticalPath, KnowsSlackAndTheNextPath) {
  const CriticalPath path = measured_path_of(late_sender());
  // Rank 1's first 30 could be 70 longer.
  ASSERT_GE(path.near.size(), 1u);
  EXPECT_EQ(path.near[0].slack_ns, 70);
  EXPECT_EQ(path.near[0].rank, 1);
  EXPECT_EQ(path.near[0].shared_ns, 42);  // all after the receive, which is rank 1's own here
  EXPECT_THAT(path.near[0].by_rank, ElementsAre(0, 82));
  EXPECT_EQ(path.least_slack_ns[1], 70);
}

/// Whatever the order of the requests.
TEST(CriticalPath, GoesThroughTheLowestOfRanksThatComeTogether) {
  for (const auto& [first, second] : {std::pair(0, 1), std::pair(1, 0)}) {
    const std::string receives = fmt::format(
        " @1 +1 irecv from={} bytes=8 req=1\n @3 +1 irecv from={} bytes=8 req=2\n", first, second);
    const CriticalPath path = measured_path_of(timed_trace(
        3, "rank 0\n @100 +5 send to=2 bytes=8\nrank 1\n @100 +5 send to=2 bytes=8\nrank 2\n" +
               receives + " @10 +100 waitall reqs=1,2\n"));
    EXPECT_THAT(lines_of(path), ElementsAre("100 0 none", "110 2 waitall"));
  }
}

TEST(CriticalPath, LeavesOutWhatGoesBackInTime) {
  const CriticalPath path = measured_path_of(timed_trace(2,
                                                         "rank 0\n @100 +5 send to=1 bytes=8\n"
                                                         "rank 1\n @30 +10 recv from=0 bytes=8\n"));
  EXPECT_EQ(path.makespan_ns, 105);
  EXPECT_EQ(path.findings.entries().size(), 1u);
}

TEST(CriticalPath, SaysWhatGoesBackInTimeAndOnWhichClock) {
  const CriticalPath path =
      measured_path_of(read_text("slackline-trace 1 timed ranks=2\n"
                                 "rank 0 host=n\n @900 +5 barrier\n"
                                 "rank 1 host=n\n @100 +50 barrier\n",
                                 "t"));
  ASSERT_EQ(path.findings.entries().size(), 1u);
  EXPECT_EQ(path.findings.entries()[0].name, "dependence_back_in_time");
  EXPECT_THAT(
      path.findings.entries()[0].examples,
      ElementsAre("MPI_Barrier (call 0 of rank 1) ended at 0.000000150 s, MPI_Barrier (call "
                  "0 of rank 0) began at 0.000000900 s, on one clock"));
}

TEST(CriticalPath, CallsThatOverlapInARankDoNotGoBackInTime) {
  // A thread of rank 0 sends to rank 1 and calls a barrier while another one is in a long send.
  const CriticalPath message =
      measured_path_of(timed_trace(3,
                                   "rank 0\n @0 +100 ssend to=2 bytes=8\n"
                                   " @10 +20 send thread=1 to=1 bytes=8\n"
                                   "rank 1\n @5 +20 recv from=0 bytes=8\n"
                                   "rank 2\n @90 +10 recv from=0 bytes=8\n"));
  EXPECT_TRUE(message.findings.empty());
  EXPECT_EQ(message.makespan_ns, 100);
  const CriticalPath collective = measured_path_of(
      timed_trace(3,
                  "comm 2 members=0,1\n"
                  "rank 0\n @0 +100 ssend to=2 bytes=8\n @10 +20 barrier thread=1 comm=2\n"
                  "rank 1\n @5 +20 barrier comm=2\n"
                  "rank 2\n @90 +10 recv from=0 bytes=8\n"));
  EXPECT_TRUE(collective.findings.empty());
  EXPECT_EQ(collective.makespan_ns, 100);
}

TEST(CriticalPath, CallsThatGaveUpDoNotGoBackInTime) {
  const CriticalPath killed =
      measured_path_of(timed_trace(2,
                                   "rank 0\n @900 +5 barrier\n"
                                   "rank 1\n @100 +50 barrier unfinished\n"));
  EXPECT_TRUE(killed.findings.empty());
  const CriticalPath polled =
      measured_path_of(timed_trace(2,
                                   "rank 0\n @10 +5 win_post args=1\n @20 +5 win_test failed\n"
                                   " @500 +5 win_test\n"
                                   "rank 1\n @30 +5 win_start args=0\n @400 +5 win_complete\n"));
  EXPECT_TRUE(polled.findings.empty());
}

TEST(CriticalPath, NobodyWaitsForEmptyContributions) {
  // Rank 0 gives nothing and comes last; in an MPI_Alltoallv ranks 0 and 1 exchange nothing.
  const CriticalPath gathered = measured_path_of(timed_trace(
      2,
      "rank 0\n @900 +5 allgatherv bytes=0 counts=0,8\nrank 1\n @100 +50 allgatherv bytes=8 "
      "counts=0,8\n"));
  EXPECT_TRUE(gathered.findings.empty());
  const CriticalPath exchanged =
      measured_path_of(timed_trace(3,
                                   "rank 0\n @900 +5 alltoallv bytes=8 args=0,0,8,0,0,8\n"
                                   "rank 1\n @100 +50 alltoallv bytes=8 args=0,8,0,0,8,0\n"
                                   "rank 2\n @100 +805 alltoallv bytes=8 args=8,0,0,8,0,0\n"));
  EXPECT_TRUE(exchanged.findings.empty());
}

TEST(CriticalPath, GoesToTheLastNeighbourWhoseDataComes) {
  const CriticalPath path = measured_path_of(
      timed_trace(3,
                  "rank 0\n @10 +95 neighbor_allgather bytes=8 out=1:8 in=1:8\n"
                  "rank 1\n @100 +5 neighbor_allgather bytes=8 out=0:8,2:8 in=0:8\n"
                  "rank 2\n @102 +2 neighbor_allgather bytes=8 in=1:8\n"));
  EXPECT_THAT(lines_of(path), ElementsAre("100 1 none", "105 0 neighbor_allgather"));
}

TEST(CriticalPath, GroupsOfAnIntercommunicatorWaitForEachOther) {
  // Rank 2 broadcasts to the other group; rank 3, beside it, takes no part and comes late.
  const CriticalPath path =
      measured_path_of(timed_trace(4,
                                   "comm 2 members=0,1 remote=2,3\n"
                                   "rank 0\n @10 +40 bcast root=2 bytes=8 comm=2\n"
                                   "rank 1\n @20 +40 bcast root=2 bytes=8 comm=2\n"
                                   "rank 2\n @30 +5 bcast root=root bytes=8 comm=2\n"
                                   "rank 3\n @900 +5 bcast root=null bytes=8 comm=2\n"));
  EXPECT_TRUE(path.findings.empty());
  const CriticalPath late = measured_path_of(
      timed_trace(2,
                  "comm 2 members=0 remote=1\n"
                  "rank 0\n @10 +95 barrier comm=2\nrank 1\n @100 +5 barrier comm=2\n"));
  EXPECT_THAT(lines_of(late), ElementsAre("100 1 none", "105 0 barrier"));
}

TEST(CriticalPath, OfNothing) {
  EXPECT_EQ(measured_path_of(timed_trace(2, "rank 0\nrank 1\n")).makespan_ns, 0);
  EXPECT_THROW(measured_path_of(testing::untimed_trace(1, "rank 0\n pack\n")), Error);
}

TEST(Imbalance, IsWaitingOverExecuting) {
  // Entered by 60, left from 64 on: execution 4; waiting 50 + 0 + 20 before, 1 + 4 + 6 after.
  const Trace trace = timed_trace(3,
                                  "rank 0\n @10 +55 barrier\nrank 1\n @60 +8 barrier\n"
                                  "rank 2\n @40 +24 barrier\n @70 +5 barrier\n");
  const ImbalanceMetrics m = imbalance_metrics(trace, CallMatching(trace));
  ASSERT_EQ(m.operations.size(), 1u);
  EXPECT_EQ(m.operations[0].imbalance.before_ns, 70);
  EXPECT_EQ(m.operations[0].imbalance.after_ns, 1 + 4);
  EXPECT_DOUBLE_EQ(m.operations[0].imbalance.ratio(), 75.0 / 12);
  EXPECT_DOUBLE_EQ(m.ranks[0].ratio(), 51.0 / (4 + 10));
  EXPECT_DOUBLE_EQ(m.program.ratio(), 75.0 / (12 + 10 + 60 + 40 + 6));
}

TEST(Imbalance, LeavesOutCallsWithNegativeTimes) {
  // Rank 0 is out again before rank 1 comes in.
  const Trace trace = timed_trace(
      2, "rank 0\n @10 +5 reduce root=1 bytes=8\nrank 1\n @60 +8 reduce root=1 bytes=8\n");
  const ImbalanceMetrics m = imbalance_metrics(trace, CallMatching(trace));
  EXPECT_EQ(m.left_out, 1u);
  EXPECT_TRUE(m.operations.empty());
}

TEST(CriticalPath, ComparesWithTheMeanOfTheRanksThatAreThere) {
  // 100 of computation on the path, and 40 on the other rank that has calls: 70 on average.
  const CriticalPath path = measured_path_of(
      timed_trace(3, "rank 0\n @100 +0 finalize\nrank 1\n @40 +0 finalize\nrank 2\n"));
  ASSERT_FALSE(path.activities.empty());
  EXPECT_EQ(path.activities[0].on_path_ns, 100);
  EXPECT_DOUBLE_EQ(path.activities[0].mean_ns, 70);
  double sum = 0;
  for (const ActivityImpact& i : path.impacts) {
    sum += static_cast<double>(i.busy_ns()) + i.imbalance_ns;
  }
  EXPECT_DOUBLE_EQ(sum, 2 * 100);
  EXPECT_DOUBLE_EQ(path.activities[0].imbalance_ns, 30);
}

TEST(IntervalPath, TakesTheLongestOfEachGroupThatOverlaps) {
  // Two steps: 10 and 60 overlap, then 5 and 30 after all have left the barrier.
  const Trace trace = timed_trace(2,
                                  "rank 0\n @10 +55 barrier\n @70 +40 barrier\n"
                                  "rank 1\n @60 +5 barrier\n @95 +15 barrier\n");
  const IntervalPath path = interval_path(trace, 0);
  ASSERT_EQ(path.critical.size(), 2u);
  EXPECT_EQ(path.critical[0].rank, 1);
  EXPECT_EQ(path.critical[1].rank, 1);
  EXPECT_EQ(path.computation_ns, 90);
  EXPECT_EQ(interval_path(trace, 40).intervals, 1u);
}

TEST(ActivityImpact, LaysWaitingOnWhatThePathHasMoreOf) {
  // Rank 0 computes for 100 and sends, rank 1 for 40 and waits for 60; both take 10 more.
  const Trace trace = timed_trace(2,
                                  "rank 0\n @100 +10 send to=1 bytes=1\n"
                                  "rank 1\n @40 +70 recv from=0 bytes=1\n");
  const CriticalPath path = measured_path_of(trace);
  ASSERT_EQ(path.makespan_ns, 110);
  ASSERT_EQ(path.impacts.size(), 3u);
  const ActivityImpact& computation = path.impacts.front();
  EXPECT_EQ(computation.activity, ActivityName{});
  EXPECT_EQ(computation.critical_ns, 140);
  EXPECT_EQ(computation.non_critical_ns, 0);
  double waiting = 0;
  for (const ActivityImpact& i : path.impacts) waiting += i.imbalance_ns;
  EXPECT_DOUBLE_EQ(waiting, 60);
  // The path is rank 0's: of it rank 1 lacks 60 of computation and the 10 of the send.
  EXPECT_DOUBLE_EQ(computation.imbalance_ns, 60.0 * 60 / 70);
}

TEST(CriticalPathFlows, GoFromTheCallWaitedForToTheOneThatWaited) {
  // Rank 1 waits for rank 0's send, its second call; then rank 0 waits for rank 1.
  const Trace trace =
      timed_trace(2,
                  "rank 0\n @10 +1 send to=1 bytes=1\n @100 +1 send to=1 bytes=1\n"
                  " @110 +200 recv from=1 bytes=1\n"
                  "rank 1\n @5 +7 recv from=0 bytes=1\n @20 +90 recv from=0 bytes=1\n"
                  " @300 +1 send to=0 bytes=1\n");
  const CallMatching matching(trace);
  const CausalOrder order(trace, matching);
  const auto flows = critical_path_flows(critical_steps(Activities(trace, matching, order)));
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].from_rank, 0);
  EXPECT_EQ(flows[0].from_call, 1u);
  EXPECT_EQ(flows[0].to_rank, 1);
  EXPECT_EQ(flows[0].to_call, 1u);
  EXPECT_EQ(flows[1].from_rank, 1);
  EXPECT_EQ(flows[1].from_call, 2u);
  EXPECT_EQ(flows[1].to_rank, 0);
  EXPECT_EQ(flows[1].to_call, 2u);
}

}  // namespace
}  // namespace slackline
