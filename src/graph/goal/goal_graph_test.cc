#include "graph/goal/goal_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "formats/goal/goal.h"
#include "graph/testing/arbitrary_goal.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using testing::end_times_ns;

using Model = testing::WholeModel;

std::vector<std::int64_t> ends(std::string_view text, const Model& m,
                               const GraphOptions& options = {}) {
  const GoalProgram program = read_goal_text(text, "x.goal");
  const ExecutionGraph graph = build_goal_graph(program, "x.goal", options).graph;
  return end_times_ns(graph, m.latency_ns, m.overhead_ns, m.gap_ns);
}

TEST(GoalGraphTest, RunningExampleOfLlamp) {
  // LLAMP section II-B as GOAL: T = L + 2.015 us, 3 bytes * 5 ns in it.
  EXPECT_THAT(ends("num_ranks 2\n"
                   "rank 0 {\nc0: calc 1000\ns: send 4b to 1\nc1: calc 1000\ns requires c0\n"
                   "c1 requires s\n}\n"
                   "rank 1 {\nc2: calc 500\nr: recv 4b from 0\nc3: calc 1000\nr requires c2\n"
                   "c3 requires r\n}\n",
                   {385, 0, 5}),
              ElementsAre(2000, 385 + 2015));
}

TEST(GoalGraphTest, IrequiresWaitsForTheStart) {
  // On a send: its start plus o. On a receive: what it requires. On a calc with two dependencies:
  // both.
  const Model m{1000, 10, 1};
  EXPECT_THAT(
      ends("num_ranks 2\n"
           "rank 0 {\na: calc 100\ns: send 1b to 1\ns requires a\nb: calc 7\nb irequires s\n}\n"
           "rank 1 {\na: calc 50\nr: recv 1b from 0\nr requires a\nb: calc 5\nb irequires r\n"
           "c: calc 300\nd: calc 400\nd requires b\nd requires c\ne: calc 1\ne irequires d\n}\n",
           m),
      ElementsAre(100 + 10 + 7, 100 + 10 + 1000 + 10));
  EXPECT_THAT(ends("num_ranks 1\nrank 0 {\nb: calc 55\nc: calc 300\nd: calc 0\nd requires b\n"
                   "d requires c\ne: calc 1000\ne irequires d\n}\n",
                   m),
              ElementsAre(1300));
}

TEST(GoalGraphTest, RendezvousByEveryProtocol) {
  // ts = 100, tr = 5000; s = 11 bytes, L = 1000, o = 10, G = 3. Formulas: the protocols'
  // definitions.
  const std::string_view text =
      "num_ranks 2\n"
      "rank 0 {\na: calc 100\ns: send 11b to 1\ns requires a\n}\n"
      "rank 1 {\na: calc 5000\nr: recv 11b from 0\nr requires a\n}\n";
  const Model m{1000, 10, 3};
  GraphOptions options{.eager_threshold_bytes = 10};
  const std::int64_t answer = 5010;  // max(ts + o + L, tr) + o
  const std::int64_t data = answer + 1000 + 10;
  EXPECT_THAT(ends(text, m, options), ElementsAre(data + 30, data + 1000 + 30 + 10));
  options.rendezvous = Rendezvous::rdma_read;
  const std::int64_t read = answer + 2000 + 30 + 10;
  EXPECT_THAT(ends(text, m, options), ElementsAre(read + 1000 + 10, read));
  options.rendezvous = Rendezvous::sync;
  EXPECT_THAT(ends(text, m, options), ElementsAre(5010, 5010));
  options.rendezvous = Rendezvous::loggopsim;
  EXPECT_THAT(ends(text, m, options), ElementsAre(5000, 5010));
  options.eager_threshold_bytes = 11;
  EXPECT_THAT(ends(text, m, options), ElementsAre(110, 5010));
}

TEST(GoalGraphTest, RanksWithoutOperationsEndAtZero) {
  EXPECT_THAT(ends("num_ranks 2\nrank 0 {\n}\nrank 1 {\ncalc 5\ncalc 3\n}\n", {1, 1, 1}),
              ElementsAre(0, 5));
}

TEST(GoalGraphTest, LongChainsAreNotLookedThroughAgainAndAgain) {
  std::string text = "num_ranks 1\nrank 0 {\nl0: calc 1\n";
  for (int i = 1; i < 20'000; ++i) {
    text += "l" + std::to_string(i) + ": calc 1\nl" + std::to_string(i) + " requires l" +
            std::to_string(i - 1) + "\nk" + std::to_string(i) + ": calc 1\nk" + std::to_string(i) +
            " requires l" + std::to_string(i - 1) + "\n";
  }
  EXPECT_THAT(ends(text + "}\n", {1, 1, 1}), ElementsAre(20'000));
}

/// Dependencies of a program in which a fence waits for `gets` transfers.
std::size_t dependencies_of_gets(int gets) {
  std::string text = "rank 0\n win_fence\n";
  for (int i = 0; i < gets; ++i) text += " compute 10\n get target=1 bytes=100\n";
  const Trace trace =
      testing::untimed_trace(2, text + " win_fence\nrank 1\n win_fence\n win_fence\n");
  Findings findings;
  std::size_t count = 0;
  for (const GoalRank& rank : goal_of_trace(trace, {}, findings).ranks) {
    count += rank.dependencies().size();
  }
  return count;
}

// The fence waits for each of them, and none for the others.
TEST(GoalGraphTest, TransfersThatAFenceWaitsForDoNotWaitForEachOther) {
  const std::size_t each = (dependencies_of_gets(300) - dependencies_of_gets(200)) / 100;
  EXPECT_LE(each, 6U);
  EXPECT_EQ(dependencies_of_gets(400), dependencies_of_gets(300) + 100 * each);
}

TEST(GoalGraphTest, TheTraceHasACallForEveryVertex) {
  const GoalProgram program = read_goal_text(
      "num_ranks 2\nrank 0 {\na: calc 5\nsend 1b to 1\nsend 1b to 1\n}\n"
      "rank 1 {\nr: recv 1b from 0\nrecv 1b from 0\nb: calc 1\nb requires r\n}\n",
      "x.goal");
  const GoalGraph g = build_goal_graph(program, "x.goal", {}, GoalTrace::linearised);
  ASSERT_TRUE(g.trace.has_value());
  for (VertexId v = 0; v < g.graph.vertex_count(); ++v) {
    EXPECT_LT(g.graph.call(v), g.trace->calls(g.graph.rank(v)).size());
  }
  EXPECT_EQ(g.graph.message_count(), 2u);
}

RC_GTEST_PROP(GoalGraphProperty, EqualsRelaxation, ()) {
  const GoalProgram program = testing::arbitrary_goal_program();
  const Model m{*rc::gen::inRange<std::int64_t>(0, 3000), *rc::gen::inRange<std::int64_t>(0, 50),
                *rc::gen::inRange<std::int64_t>(0, 9)};
  const ExecutionGraph graph = build_goal_graph(program, "x.goal", {}).graph;
  RC_ASSERT(end_times_ns(graph, m.latency_ns, m.overhead_ns, m.gap_ns) ==
            testing::relaxed_ends(program, m));
}

}  // namespace
}  // namespace slackline
