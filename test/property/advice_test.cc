// Whether advice finds what was planted, and keeps to what is possible.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "advice/advice.h"
#include "advice/testing/predicted_advice.h"
#include "calls/run_span.h"
#include "property/cases.h"
#include "property/planted_problems.h"
#include "timing/makespan.h"
#include "trace/trace_builder.h"
#include "whatif/program_writer.h"
#include "whatif/scenario.h"

namespace slackline {
namespace {

const Samples kNoSamples;

ModelChoice choice_of(const GraphOptions& options, const LogGPS& model) {
  return {.model = model, .graph = options, .network = {}};
}

ModelChoice usual_choice(const GraphOptions& options) {
  return choice_of(options, {2'000'000'000, 500'000'000, 100'000});
}

/// Three programs of each kind of problem.
TEST(PlantedProblems, ComeFirst) {
  constexpr std::uint64_t kPrograms = 3 * testing::kPlantedKinds;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    const testing::PlantedProblem planted = testing::planted_problem(seed);
    const Advice advice = testing::advice_on_program(planted.trace, kNoSamples,
                                                     usual_choice(planted.options), {.count = 10});
    ASSERT_FALSE(advice.proposals.empty()) << "seed " << seed;
    const Hypothesis& first = advice.proposals.front().hypothesis;
    EXPECT_TRUE(std::ranges::count(planted.problems, identifier(first.problem)) == 1)
        << "seed " << seed << ": " << planted.problems.front() << " was planted, not "
        << first.action;
    const bool any_place = planted.place.empty();
    EXPECT_EQ(first.place, any_place ? first.place : planted.place) << "seed " << seed;
    EXPECT_EQ(first.rank, planted.rank < 0 ? first.rank : planted.rank) << "seed " << seed;
  }
}

/// A rank that comes late to a loop, by 400 steps of it.
TEST(PlantedProblems, ALateStartIsCalledOne) {
  TraceBuilder trace(4, false);
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    std::int64_t now = rank == 3 ? 40'000'000 : 0;
    for (int step = 0; step < 40; ++step) {
      now += 100'000;
      trace.calls(rank).append({.operation = Operation::allreduce,
                                .begin_ns = now,
                                .end_ns = now,
                                .bytes = 8,
                                .tag = 8});
    }
  }
  const Advice advice =
      testing::advice_on_program(trace, kNoSamples, usual_choice({}), {.count = 10});
  ASSERT_FALSE(advice.proposals.empty());
  const Hypothesis& first = advice.proposals.front().hypothesis;
  EXPECT_EQ(first.action, "Start rank 3 at the same time as the others");
  EXPECT_EQ(first.evidence,
            "1 of 160 stretches between collectives take more than twice the rank's median; the "
            "longest, 40.10 ms, is number 1 of rank 3.");
}

/// A program without regions: allreduces in two functions, and in one of these one rank computes
/// twice as long as the others.
TEST(PlantedProblems, AreFoundByFunctionWhereThereAreNoRegions) {
  constexpr std::int32_t kRanks = 8;
  constexpr std::int32_t kLate = 5;
  TraceBuilder trace(kRanks, false);
  const FrameId main = trace.call_tree().child(0, {"main", {}, 0, {}});
  const std::array<FrameId, 2> functions{trace.call_tree().child(main, {"assemble", {}, 0, {}}),
                                         trace.call_tree().child(main, {"solve", {}, 0, {}})};
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    std::int64_t now = 0;
    const auto call = [&](Operation operation, FrameId frame) {
      trace.calls(rank).append({.operation = operation,
                                .frame = frame,
                                .begin_ns = now,
                                .end_ns = now,
                                .bytes = 8,
                                .tag = 8});
    };
    call(Operation::init, main);
    for (int step = 0; step < 30; ++step) {
      for (const FrameId function : functions) {
        call(Operation::allreduce, function);
        now += function == functions[1] && rank == kLate ? 400'000 : 200'000;
        call(Operation::allreduce, function);
      }
    }
    call(Operation::finalize, main);
  }
  const Advice advice =
      testing::advice_on_program(trace, kNoSamples, usual_choice({}), {.count = 10});
  ASSERT_FALSE(advice.proposals.empty());
  const Hypothesis& first = advice.proposals.front().hypothesis;
  EXPECT_EQ(identifier(first.problem), "imbalance") << first.action;
  EXPECT_EQ(first.place, "solve") << first.action;
  EXPECT_EQ(first.rank, kLate);
  EXPECT_EQ(first.edits.front().arguments.count("function"), 1u);
}

/// Rank after rank sends its neighbour twenty short messages where one would do.
TEST(PlantedProblems, AreFoundInManyShortMessages) {
  constexpr std::int32_t kRanks = 6;
  constexpr int kMessages = 20;
  TraceBuilder trace(kRanks, false);
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    std::int64_t now = 0;
    const auto call = [&](Operation operation, std::int32_t peer) {
      trace.calls(rank).append({.operation = operation,
                                .begin_ns = now,
                                .end_ns = now,
                                .bytes = 16,
                                .peer = peer,
                                .tag = 1});
    };
    call(Operation::init, kPeerNone);
    for (int step = 0; step < 30; ++step) {
      now += 5'000;
      for (int k = 0; k < kMessages && rank > 0; ++k) call(Operation::recv, rank - 1);
      for (int k = 0; k < kMessages && rank + 1 < kRanks; ++k) call(Operation::send, rank + 1);
    }
    call(Operation::finalize, kPeerNone);
  }
  const Advice advice =
      testing::advice_on_program(trace, kNoSamples, usual_choice({}), {.count = 10});
  ASSERT_FALSE(advice.proposals.empty());
  const Hypothesis& first = advice.proposals.front().hypothesis;
  EXPECT_EQ(identifier(first.problem), "small_messages") << first.action;
}

/// A run cannot end before the mean of its ranks' computation has been done.
TEST(PlantedProblems, AreNeverPromisedToGainMoreThanIsPossible) {
  for (std::uint64_t seed = 0; seed < testing::kPlantedKinds; ++seed) {
    const testing::PlantedProblem planted = testing::planted_problem(seed);
    const Advice advice = testing::advice_on_program(planted.trace, kNoSamples,
                                                     usual_choice(planted.options), {.count = 30});
    for (const Proposal& p : advice.proposals) {
      const Problem problem = p.hypothesis.problem;
      const bool less = problem == Problem::computation || problem == Problem::outliers ||
                        problem == Problem::slow_ranks || problem == Problem::serial;
      const double least = less ? 0 : advice.ideal_ns;
      EXPECT_LE(p.gain_ns, advice.run_ns - least + 1) << p.hypothesis.action;
      EXPECT_LE(p.low_ns, p.gain_ns);
      EXPECT_GE(p.high_ns, p.gain_ns);
    }
    EXPECT_LE(advice.combination.gain_ns, advice.run_ns);
  }
}

}  // namespace
}  // namespace slackline
