#include "analysis/model/model_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/testing/text_graph.h"
#include "timing/testing/small_model.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using testing::kModel;
using testing::kNs;
using ::testing::Pair;
using testing::timed_trace;
using testing::untimed_trace;

ModelPath path_of(const Trace& trace, const GraphOptions& options = {}) {
  const ExecutionGraph graph = build_graph(trace, options);
  return model_path(trace, graph, model_schedule(graph, kModel), PicosecondCost(kModel));
}

/// One segment in a line: "end part rank<-from operation".
std::vector<std::string> lines_of(const ModelPath& path) {
  std::vector<std::string> lines;
  for (const PathSegment& s : path.segments) {
    lines.push_back(std::to_string(s.end_ps / 1000) + " " + std::string(to_string(s.part)) + " " +
                    std::to_string(s.rank) + "<-" + std::to_string(s.from_rank) + " " +
                    std::string(identifier(s.operation)));
  }
  return lines;
}

TEST(ModelPath, FollowsTheMessage) {
  // Rank 0 computes 50, o; the message takes 1000 + 4; rank 1's o, then 7 of computation.
  const ModelPath path = path_of(untimed_trace(
      2,
      "rank 0\n compute 50\n send to=1 bytes=5\nrank 1\n recv from=0 bytes=5\n compute 7\n"
      " pack\n"));
  EXPECT_THAT(lines_of(path),
              ElementsAre("50 compute 0<-0 none", "60 overhead 0<-0 send", "1060 latency 1<-0 recv",
                          "1064 bandwidth 1<-0 recv", ::testing::HasSubstr("1074 overhead 1<-"),
                          "1081 compute 1<-1 none"));
  EXPECT_EQ(path.messages, 1u);
  EXPECT_EQ(path.total.compute_ps, 57'000);
  EXPECT_EQ(path.total.overhead_ps, 20'000);
  EXPECT_EQ(path.total.latency_ps, 1'000'000);
  EXPECT_EQ(path.total.bandwidth_ps, 4'000);
  EXPECT_EQ(path.by_rank[0].total_ps(), 60'000);
  EXPECT_EQ(path.by_rank[1].total_ps(), 1'021'000);
  EXPECT_EQ(path.by_operation[0].first, Operation::recv);
}

TEST(ModelPath, StaysOnARankThatWaitsForNobody) {
  const ModelPath path = path_of(untimed_trace(
      2, "rank 0\n send to=1\nrank 1\n compute 4000\n recv from=0\n compute 9\n pack\n"));
  EXPECT_THAT(lines_of(path), ElementsAre("4000 compute 1<-1 none", "4010 overhead 1<-1 recv",
                                          "4019 compute 1<-1 none"));
  EXPECT_EQ(path.messages, 0u);
}

TEST(ModelPath, CountsEveryCrossingOfAHandshake) {
  GraphOptions options;
  options.eager_threshold_bytes = 0;
  const ModelPath path = path_of(
      untimed_trace(2, "rank 0\n send to=1 bytes=5\nrank 1\n recv from=0 bytes=5\n"), options);
  EXPECT_EQ(path.messages, 3u);
  EXPECT_EQ(path.total.total_ps(), 3'044'000);
  EXPECT_EQ(path.total.latency_ps, 3'000'000);
  EXPECT_EQ(path.total.overhead_ps, 40'000);
}

TEST(ModelPath, CutsComputationAtRegionsAndCalls) {
  // One compute edge over two gaps (pack is no vertex): 0..30 none, 30..50 solve | 50..60 solve.
  const Trace trace = timed_trace(1,
                                  "region 0 solve\nrank 0\n @0 init\n @30 enter solve\n"
                                  " @50 +5 pack\n @65 +5 isend to=0 req=1\n @70 leave solve\n"
                                  " @100 finalize\n");
  const ModelPath path = path_of(trace);
  EXPECT_THAT(lines_of(path),
              ElementsAre("30 compute 0<-0 none", "50 compute 0<-0 none", "60 compute 0<-0 none",
                          "70 overhead 0<-0 isend", "100 compute 0<-0 none"));
  EXPECT_EQ(path.segments[0].region, kNoRegion);
  EXPECT_EQ(path.segments[1].region, 0);
  EXPECT_EQ(path.segments[2].region, 0);
  EXPECT_EQ(path.segments[2].call, 2u);
  EXPECT_EQ(path.segments[3].region, 0);
  EXPECT_EQ(path.segments[4].region, kNoRegion);
  ASSERT_EQ(path.by_region.size(), 2u);
  EXPECT_EQ(path.by_region[0].first, kNoRegion);  // 60 of 100, the larger part
  EXPECT_EQ(path.by_region[0].second.total_ps(), 60'000);
  EXPECT_EQ(path.by_region[1].second.total_ps(), 40'000);
}

TEST(ModelPath, BeginsWithALateStart) {
  // Rank 1 leaves MPI_Init 40 later than rank 0; that is computation of its own.
  const ModelPath path = path_of(
      timed_trace(2, "rank 0\n @0 +10 init\n @12 finalize\nrank 1\n @0 +50 init\n @90 finalize\n"));
  EXPECT_EQ(path.total.total_ps(), 80'000);
  EXPECT_EQ(path.total.compute_ps, 80'000);
  EXPECT_EQ(path.segments.front().begin_ps, 0);
  EXPECT_EQ(path.segments.front().rank, 1);
}

TEST(ModelPath, ThroughANonblockingCollective) {
  GraphOptions options;
  options.collectives.add("bcast=linear");
  const ModelPath path =
      path_of(untimed_trace(2,
                            "rank 0\n compute 5\n ibcast root=0 bytes=5 elem=1 req=1\n wait req=1\n"
                            "rank 1\n ibcast root=0 bytes=5 elem=1 req=1\n wait req=1\n"),
              options);
  EXPECT_EQ(path.total.total_ps(), 1'029'000);  // 5 + o + 1000 + 4 + o
  EXPECT_EQ(path.total.compute_ps, 5'000);
  EXPECT_EQ(path.messages, 1u);
}

TEST(ModelPath, OfNothingHasNoSegments) {
  const ModelPath path = path_of(untimed_trace(2, "rank 0\nrank 1\n"));
  EXPECT_TRUE(path.segments.empty());
  EXPECT_EQ(path.total.total_ps(), 0);
  EXPECT_EQ(path.by_rank.size(), 2u);
}

}  // namespace
}  // namespace slackline
