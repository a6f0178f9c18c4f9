#include "timing/goal_reduction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "base/error.h"
#include "formats/goal/goal.h"
#include "graph/goal/goal_graph.h"
#include "graph/testing/arbitrary_goal.h"
#include "timing/makespan.h"
#include "timing/testing/small_model.h"

namespace slackline {
namespace {

using testing::kNs;
using testing::WholeModel;

/// T in ns, and its derivative by L.
PathLine line(const ReducedLogGPS& reduced, const WholeModel& m, Parameter parameter) {
  const LogGPS model{m.latency_ns * kNs, m.overhead_ns * kNs, m.gap_ns * kNs};
  MakespanFunction t(ReducedProgram(reduced), model, parameter);
  return t.line_at(t.base());
}

std::int64_t makespan_ns(const ReducedLogGPS& reduced, const WholeModel& m) {
  const PathLine l = line(reduced, m, Parameter::latency);
  return static_cast<std::int64_t>(l.intercept) + l.slope * m.latency_ns;
}

/// Do the ranks' blocks suffice, or must a graph be built?
bool walks(GoalProgram program) {
  return reduce_goal_by_ranks(program, std::numeric_limits<std::uint64_t>::max(), 1).has_value();
}

GoalProgram read(std::string_view text) {
  return read_goal_text(text, "x.goal", 1);
}

TEST(GoalReductionTest, RunningExampleOfLlamp) {
  // LLAMP section II-B: T = L + 2.015 us with 3 bytes at 5 ns.
  const GoalProgram program = read(
      "num_ranks 2\n"
      "rank 0 {\nc0: calc 1000\ns: send 4b to 1\nc1: calc 1000\ns requires c0\n"
      "c1 requires s\n}\n"
      "rank 1 {\nc2: calc 500\nr: recv 4b from 0\nc3: calc 1000\nr requires c2\n"
      "c3 requires r\n}\n");
  ASSERT_TRUE(walks(program));
  const GoalReduction r = reduce_goal(program, "x.goal", {}, 1);
  ASSERT_TRUE(r.reduced.has_value());
  EXPECT_EQ(makespan_ns(*r.reduced, {385, 0, 5}), 385 + 2015);
}

TEST(GoalReductionTest, ComputationsFollowTheReceivesOfTwoMessages) {
  // The later message leaves at 30; then 50 and 70.
  const GoalProgram program = read(
      "num_ranks 3\n"
      "rank 0 {\na: recv 1b from 1\nb: recv 1b from 2\nc: calc 50\nd: calc 70\n"
      "c requires a\nc requires b\nd requires c\n}\n"
      "rank 1 {\ns: send 1b to 0\n}\n"
      "rank 2 {\nc: calc 30\ns: send 1b to 0\ns requires c\n}\n");
  ASSERT_TRUE(walks(program));
  const GoalReduction r = reduce_goal(program, "x.goal", {}, 1);
  ASSERT_TRUE(r.reduced.has_value());
  EXPECT_EQ(makespan_ns(*r.reduced, {385, 0, 5}), 30 + 385 + 50 + 70);
}

TEST(GoalReductionTest, BlocksNeedNotBeInOrder) {
  // As Schedgen writes them: a computation stands behind the sends that need it.
  const GoalProgram program = read(
      "num_ranks 2\n"
      "rank 0 {\ns: send 1b to 1\nw: calc 0\nw requires s\nc: calc 2000\ns requires c\n}\n"
      "rank 1 {\ne: calc 7\nr: recv 1b from 0\ne requires r\n}\n");
  ASSERT_TRUE(walks(program));
  EXPECT_EQ(makespan_ns(*reduce_goal(program, "x.goal", {}, 1).reduced, {1000, 10, 1}),
            2000 + 10 + 1000 + 10 + 7);
}

TEST(GoalReductionTest, NonblockingExchangeIsWalked) {
  // Both post, both send, both wait: receives must not block what stands behind them.
  const std::string block =
      "r: recv 8b from {}\ns: send 8b to {}\nw: calc 3\nw requires r\n"
      "w requires s\n}}\n";
  const GoalProgram program = read(
      "num_ranks 2\nrank 0 {\nr: recv 8b from 1\ns: send 8b to 1\n"
      "w: calc 3\nw requires r\nw requires s\n}\n"
      "rank 1 {\nr: recv 8b from 0\ns: send 8b to 0\n"
      "w: calc 5\nw requires r\nw requires s\n}\n");
  ASSERT_TRUE(walks(program));
  EXPECT_EQ(makespan_ns(*reduce_goal(program, "x.goal", {}, 1).reduced, {100, 10, 1}),
            10 + 100 + 7 + 10 + 5);
}

TEST(GoalReductionTest, InterlockedChainsFallBackToTheGraph) {
  // Rank 0 needs rank 1's second message before, in its block, it sends what rank 1 waits for.
  const GoalProgram program = read(
      "num_ranks 2\n"
      "rank 0 {\na: recv 1b from 1 tag 1\nc: calc 5\nc requires a\nd: calc 1\nd requires a\n"
      "b: recv 1b from 1 tag 2\ne: calc 2\ne requires b\ns: send 1b to 1\ns requires b\n}\n"
      "rank 1 {\nsend 1b to 0 tag 2\nr: recv 1b from 0\nu: send 1b to 0 tag 1\n"
      "u requires r\nv: calc 1\nv requires r\n}\n");
  EXPECT_FALSE(walks(program));
  EXPECT_EQ(makespan_ns(*reduce_goal(program, "x.goal", {}, 1).reduced, {100, 10, 1}),
            3 * (10 + 100 + 10) + 5);
}

TEST(GoalReductionTest, MessagesMatchInTheOrderOfTheBlock) {
  // The first send waits for what stands behind the second one.
  const GoalProgram program = read(
      "num_ranks 2\n"
      "rank 0 {\na: send 1b to 1\nb: send 11b to 1\nc: calc 5000\na requires c\n}\n"
      "rank 1 {\nx: recv 1b from 0\ny: recv 11b from 0\nz: calc 900\nz requires y\n}\n");
  ASSERT_TRUE(walks(program));
  EXPECT_EQ(makespan_ns(*reduce_goal(program, "x.goal", {}, 1).reduced, {100, 10, 500}),
            10 + 100 + 10 * 500 + 10 + 900);
}

TEST(GoalReductionTest, CyclesAreErrors) {
  const GoalProgram program = read(
      "num_ranks 2\n"
      "rank 0 {\nr: recv 1b from 1\ns: send 1b to 1\ns requires r\n}\n"
      "rank 1 {\nr: recv 1b from 0\ns: send 1b to 0\ns requires r\n}\n");
  EXPECT_THROW(reduce_goal(program, "x.goal", {}, 1), Error);
  EXPECT_THROW(reduce_goal(read("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\n"
                                "b requires a\n}\n"),
                           "x.goal", {}, 1),
               Error);
}

TEST(GoalReductionTest, ManyEndsBecomeOne) {
  std::string text = "num_ranks 2\nrank 0 {\n";
  for (int i = 0; i < 500; ++i) text += "calc " + std::to_string(i) + "\nsend 1b to 1\n";
  text += "}\nrank 1 {\n";
  for (int i = 0; i < 500; ++i) text += "recv 1b from 0\n";
  text += "}\n";
  EXPECT_EQ(makespan_ns(*reduce_goal(read(text), "x.goal", {}, 1).reduced, {100, 10, 0}), 499);
  EXPECT_EQ(makespan_ns(*reduce_goal(read(text), "x.goal", {}, 1).reduced, {1000, 10, 0}), 1020);
}

TEST(GoalReductionTest, LongComputationNeedsMoreThan32Bits) {
  const GoalProgram program = read(
      "num_ranks 1\nrank 0 {\na: calc 5000000000\nb: calc 6000000000\nc: calc 1\nd: calc 2\n"
      "c requires a\nc requires b\nd requires c\n}\n");
  const GoalReduction r = reduce_goal(program, "x.goal", {}, 1);
  EXPECT_EQ(makespan_ns(*r.reduced, {1, 1, 1}), 6'000'000'003);
}

/// Operations of each block at other places.
GoalProgram shuffled(const GoalProgram& program) {
  GoalProgram result;
  result.ranks.resize(program.ranks.size());
  for (std::size_t r = 0; r < program.ranks.size(); ++r) {
    const GoalRank& rank = program.ranks[r];
    std::vector<std::uint32_t> place(rank.size());
    std::iota(place.begin(), place.end(), 0u);
    for (std::uint32_t i = 1; i < rank.size(); ++i) {
      if (*rc::gen::inRange(0, 3) == 0) std::swap(place[i], place[i - 1]);
    }
    std::vector<std::uint32_t> now(rank.size());
    for (std::uint32_t i = 0; i < rank.size(); ++i) {
      result.ranks[r].add(rank[place[i]]);
      now[place[i]] = i;
    }
    for (const GoalDependency& d : rank.dependencies()) {
      result.ranks[r].add_dependency(now[d.dependent], now[d.on], d.on_start != 0);
    }
  }
  return result;
}

std::optional<GoalReduction> unless_error(const GoalProgram& program) {
  try {
    return reduce_goal(program, "x.goal", {}, 1);
  } catch (const Error&) {
    return std::nullopt;
  }
}

WholeModel arbitrary_model() {
  return {*rc::gen::inRange<std::int64_t>(0, 3000), *rc::gen::inRange<std::int64_t>(0, 50),
          *rc::gen::inRange<std::int64_t>(0, 9)};
}

RC_GTEST_PROP(GoalReductionProperty, EqualsRelaxation, ()) {
  const GoalProgram program = testing::arbitrary_goal_program();
  const WholeModel m = arbitrary_model();
  const std::vector<std::int64_t> ends = testing::relaxed_ends(program, m);
  RC_CLASSIFY(walks(program), "walked");
  RC_ASSERT(makespan_ns(*reduce_goal(program, "x.goal", {}, 1).reduced, m) ==
            *std::ranges::max_element(ends));
}

RC_GTEST_PROP(GoalReductionProperty, EqualsTheGraphAlsoOutOfOrder, ()) {
  const GoalProgram program = shuffled(testing::arbitrary_goal_program());
  const WholeModel m = arbitrary_model();
  const std::optional<GoalReduction> walked = unless_error(program);
  if (!walked) {
    RC_ASSERT_THROWS_AS(build_goal_graph(program, "x.goal", {}), Error);
    return;
  }
  const auto built = reduce(build_goal_graph(program, "x.goal", {}).graph);
  for (const Parameter p : {Parameter::latency, Parameter::overhead, Parameter::gap_per_byte}) {
    RC_ASSERT(line(*walked->reduced, m, p) == line(*built, m, p));
  }
}

RC_GTEST_PROP(GoalReductionProperty, TextIsReducedAlikeByAnyNumberOfThreads, ()) {
  const GoalProgram program = testing::arbitrary_goal_program();
  const WholeModel m = arbitrary_model();
  std::string text;
  write_goal_text(program, [&](std::string_view part) { text += part; });
  const auto built = reduce(build_goal_graph(program, "x.goal", {}).graph);
  for (const unsigned threads : {1u, 2u, 3u}) {
    const GoalReduction r = reduce_goal_text(text, "x.goal", {}, threads);
    RC_ASSERT(r.operations == program.operation_count());
    RC_ASSERT(r.ranks == program.ranks.size());
    for (const Parameter p : {Parameter::latency, Parameter::overhead, Parameter::gap_per_byte}) {
      RC_ASSERT(line(*r.reduced, m, p) == line(*built, m, p));
    }
  }
}

TEST(GoalReductionTest, TextWithBracesInComments) {
  const std::string text =
      "num_ranks 2\nrank 0 { // }\ns: send 1b to 1 /* } rank 1 { } */\n}\n"
      "// } rank 0 {\nrank 1 {\nr: recv 1b from 0\n}\n";
  for (const unsigned threads : {1u, 2u}) {
    EXPECT_EQ(makespan_ns(*reduce_goal_text(text, "x.goal", {}, threads).reduced, {100, 10, 1}),
              120);
  }
}

TEST(GoalReductionTest, TextThatNeedsTheWholeProgram) {
  // A wildcard, and a message of more than the threshold.
  GraphOptions options;
  options.eager_threshold_bytes = 10;
  const std::string any = "num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\nrecv 1b from -1\n}\n";
  const std::string large =
      "num_ranks 2\nrank 0 {\nsend 11b to 1\n}\nrank 1 {\nrecv 11b from 0\n}\n";
  const GoalReduction r = reduce_goal_text(any, "x.goal", options, 2);
  EXPECT_EQ(makespan_ns(*r.reduced, {100, 10, 1}), 120);
  EXPECT_FALSE(r.findings.entries().empty());
  // Request, answer, data: three latencies and an overhead at each end of the first two.
  EXPECT_EQ(
      line(*reduce_goal_text(large, "x.goal", options, 2).reduced, {100, 10, 1}, Parameter::latency)
          .slope,
      3);
  EXPECT_THROW(reduce_goal_text("num_ranks 1\nrank 0 {\nsend 1b to 0\n}\n", "x.goal", {}, 2),
               Error);
}

}  // namespace
}  // namespace slackline
