#include "advice/advice.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advice/omitted_calls.h"
#include "advice/program_profile.h"
#include "advice/testing/predicted_advice.h"
#include "base/error.h"
#include "formats/text/text.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using testing::advice_on_program;
using testing::advice_on_run;
using ::testing::ElementsAre;
using testing::untimed_trace;

const Samples kNoSamples;

ProgramProfile profile_of(const Trace& trace) {
  const CallPaths paths(trace);
  return program_profile(trace, paths, ComputationCode(trace, nullptr));
}

OmittedCalls merged_of(const Trace& trace) {
  return merged_calls(trace, CallMatching(trace));
}

bool is_omitted(const OmittedCalls& calls, std::int32_t rank, CallIndex call) {
  return calls.changes.omitted->contains(rank, call);
}

TEST(MergedCalls, AreMessagesBeforeAnotherOneOfTheSameStream) {
  const OmittedCalls merged = merged_of(untimed_trace(
      2,
      "rank 0\n init\n send to=1 bytes=1\n send to=1 bytes=30\n irecv from=1 bytes=4 req=1\n"
      " isend to=1 tag=1 bytes=20 req=2\n send to=1 bytes=5\n waitall reqs=1,2\n send to=1 "
      "bytes=10\n finalize\n"
      "rank 1\n init\n recv from=0\n irecv from=0 req=1\n send to=0 bytes=4\n recv from=0 "
      "tag=1\n recv from=0\n wait req=1\n recv from=0\n finalize\n"));
  EXPECT_EQ(merged.count, 2u);  // not of another tag, nor before MPI_Waitall
  EXPECT_EQ(merged.operation, Operation::send);
  for (const CallIndex call : {1u, 2u}) {
    EXPECT_TRUE(is_omitted(merged, 0, call));
    EXPECT_TRUE(is_omitted(merged, 1, call)) << "its receive";
  }
  for (const CallIndex call : {3u, 4u, 5u, 6u, 7u}) EXPECT_FALSE(is_omitted(merged, 0, call));
  for (const CallIndex call : {3u, 4u, 5u, 6u, 7u}) EXPECT_FALSE(is_omitted(merged, 1, call));
}

// A lock waits for whoever holds it, and what was fetched before a flush is used after it.
TEST(MergedCalls, AreTransfersBeforeAnotherOneUnderOneLock) {
  const OmittedCalls merged = merged_of(untimed_trace(
      1,
      "rank 0\n init\n win_lock target=0\n put target=0 bytes=8\n put target=0 bytes=8\n win_flush "
      "target=0\n"
      " put target=0 bytes=8\n get target=0 bytes=8\n win_flush target=0\n get target=0 bytes=8\n"
      " win_unlock target=0\n win_lock target=0\n put target=0 bytes=8\n win_unlock target=0\n"
      " finalize\n"));
  EXPECT_EQ(merged.count, 2u);
  for (const CallIndex call : {2u, 3u, 4u}) EXPECT_TRUE(is_omitted(merged, 0, call)) << call;
  for (const CallIndex call : {1u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u}) {
    EXPECT_FALSE(is_omitted(merged, 0, call)) << call;
  }
}

TEST(ProgramProfile, SumsComputationByRankPathAndTheCallAfterIt) {
  const ProgramProfile profile = profile_of(untimed_trace(
      2,
      "region 0 \"solve\"\n"
      "rank 0\n init\n compute 100\n enter solve\n compute 50\n leave solve\n barrier\n"
      " compute 7\n allreduce bytes=8\n finalize\n"
      "rank 1\n init\n compute 31\n barrier\n allreduce bytes=8\n finalize\n"));
  EXPECT_THAT(profile.rank_ns, ElementsAre(157, 31));
  EXPECT_EQ(profile.mean_ns(), 94);
  EXPECT_THAT(profile.path_ns[0], ElementsAre(107, 50));
  EXPECT_THAT(profile.kind_ns.at({0, Operation::barrier}), ElementsAre(100, 31));
  EXPECT_THAT(profile.kind_ns.at({1, Operation::barrier}), ElementsAre(50, 0));
  EXPECT_THAT(profile.kind_ns.at({0, Operation::allreduce}), ElementsAre(7, 0));
}

// Rank 1 computes a hundred times as long as the others in each of ten steps.
TEST(Advice, OfAnUnbalancedProgramIsToBalanceIt) {
  std::string text;
  for (int rank = 0; rank < 4; ++rank) {
    text += "rank " + std::to_string(rank) + "\n init\n";
    for (int step = 0; step < 10; ++step) {
      text += rank == 1 ? " compute 4000000\n" : " compute 40000\n";
      text += " allreduce bytes=8\n";
    }
    text += " finalize\n";
  }
  const Trace trace = untimed_trace(4, text);
  const ModelChoice choice{.model = {1'000'000'000, 10'000'000, 0}, .graph = {}, .network = {}};
  const Advice advice = advice_on_program(trace, kNoSamples, choice, {.count = 5});
  ASSERT_FALSE(advice.proposals.empty());
  EXPECT_EQ(advice.proposals[0].hypothesis.rank, 1);
  EXPECT_EQ(identifier(advice.proposals[0].hypothesis.problem), "imbalance");
  // All compute 1.03 ms instead of 4 ms in each step. Messages of rank 1, in two rounds of L, are
  // then waited for after each step, and not only after the last one.
  EXPECT_NEAR(advice.proposals[0].gain_ns, 10 * (4'000'000 - 1'030'000) - 9 * 2 * 1'000, 1);
  EXPECT_NEAR(advice.ideal_ns, 10 * 1'030'000, 1);
}

/// Computation of all ranks, and of edits that balance it an error.
double all_computation_unless_balanced(const Trace& program) {
  double sum = 0;
  for (std::int32_t r = 0; r < program.ranks(); ++r) {
    sum += static_cast<double>(program.calls(r).stop_ns());
  }
  if (program.calls(0).stop_ns() == program.calls(1).stop_ns())
    throw Error("balanced", "by itself");
  return sum;
}

// Rank 1 computes a hundred times as long as rank 0.
TEST(Advice, IsSimulatedAndRankedByBoth) {
  const Trace trace = untimed_trace(2,
                                    "rank 0\n init\n compute 40000\n barrier\n finalize\n"
                                    "rank 1\n init\n compute 4000000\n barrier\n finalize\n");
  const ModelChoice choice{.model = {1'000'000'000, 10'000'000, 0}, .graph = {}, .network = {}};
  const auto balances = [](const Proposal& p) {
    return std::ranges::any_of(p.hypothesis.edits,
                               [](const Edit& e) { return e.action == "balance"; });
  };
  const Advice modelled = advice_on_program(trace, kNoSamples, choice, {.count = 9});
  ASSERT_EQ(std::ranges::count_if(modelled.proposals, balances), 1);
  EXPECT_FALSE(modelled.simulated_ns);

  const Advice simulated = advice_on_program(
      trace, kNoSamples, choice, {.count = 9, .simulated = all_computation_unless_balanced});
  EXPECT_EQ(simulated.simulated_ns, 4'040'000);
  EXPECT_EQ(std::ranges::count_if(simulated.proposals, balances), 0);
  for (const Proposal& p : simulated.proposals) {
    EXPECT_EQ(p.simulated_gain_ns.has_value(), !p.hypothesis.edits.empty()) << p.hypothesis.action;
    if (p.simulated_gain_ns) {
      EXPECT_GE(*p.simulated_gain_ns, 4'040) << p.hypothesis.action;
    }
  }
}

/// 40 steps of 1 ms, and one of 20 ms: on rank 1 or on all ranks.
Trace with_a_long_step(bool on_all) {
  std::string text;
  for (int rank = 0; rank < 4; ++rank) {
    text += "rank " + std::to_string(rank) + "\n init\n";
    for (int step = 0; step < 40; ++step) {
      const bool is_long = step == 3 && (on_all || rank == 1);
      text += std::string(" compute ") + (is_long ? "20000000" : "1000000") + "\n barrier\n";
    }
    text += " finalize\n";
  }
  return untimed_trace(4, text);
}

TEST(Advice, TakesForAnInterruptionWhatNotAllRanksHave) {
  const ModelChoice choice{.model = {1'000'000'000, 10'000'000, 0}, .graph = {}, .network = {}};
  const auto is_proposed = [&](bool on_all) {
    const Advice advice =
        advice_on_program(with_a_long_step(on_all), kNoSamples, choice, {.count = 9});
    return std::ranges::any_of(advice.proposals, [](const Proposal& p) {
      return p.hypothesis.problem == Problem::outliers;
    });
  };
  EXPECT_TRUE(is_proposed(false));
  EXPECT_FALSE(is_proposed(true)) << "set-up";
}

// The program takes 98 to 102 ns, each edited one 60 to 62.
TEST(Advice, IsVerifiedByReplays) {
  Advice advice;
  advice.proposals.resize(3);
  for (Proposal& p : advice.proposals) p.hypothesis.edits = {Edit{"balance", {}}};
  std::size_t replayed = 0;
  const ReplayTimes times = [&](const std::vector<std::vector<Edit>>& programs) {
    replayed = programs.size();
    std::vector<std::vector<double>> all;
    for (const std::vector<Edit>& edits : programs) {
      all.push_back(edits.empty() ? std::vector<double>{100, 102, 98}
                                  : std::vector<double>{62, 60, 61});
    }
    return all;
  };
  verify(advice, 2, times);
  EXPECT_EQ(replayed, 3u) << "the program as it is, and two of three edited ones";
  EXPECT_FALSE(advice.proposals[2].replayed) << "one too many";
  const ReplayedGain gain = advice.proposals[1].replayed.value_or(ReplayedGain{});
  EXPECT_EQ(gain.gain_ns, 100 - 61);
  EXPECT_EQ(gain.low_ns, 98 - 62);
  EXPECT_EQ(gain.high_ns, 102 - 60);
}

// iterate() is inlined into assemble(), the function that has work to share out.
TEST(Advice, NamesTheFunctionOfTheProgramThatItsDiagnosisNames) {
  std::string text =
      "frame 1 0 main file=a.c line=9 module=a\nframe 2 1 assemble file=a.c line=5 module=a\n"
      "frame 3 2 iterate file=a.c line=2 module=a inlined\n";
  std::string ranks;
  for (int rank = 0; rank < 4; ++rank) {
    ranks += "rank " + std::to_string(rank) + "\n @0 +10 init frame=1\n";
    for (int step = 0; step < 10; ++step) {
      const int begin = 10 + step * 5000;
      for (int at = 10; at < (rank == 1 ? 4000 : 1000); at += 100) {
        ranks +=
            fmt::format(" @{} sample cpu={} frame={}\n", begin + at, begin + at, at < 500 ? 1 : 3);
      }
      const int end = begin + (rank == 1 ? 4000 : 1000);
      ranks += fmt::format(" @{} +{} barrier frame=1\n", end, begin + 5000 - end);
    }
    ranks += " @60000 +10 finalize frame=1\n";
  }
  Samples samples;
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=4\ninfo sampling=100\n" + text + ranks, "test", &samples);
  const ModelChoice choice{.model = {1'000'000, 10'000, 0}, .graph = {}, .network = {}};
  const Advice advice = advice_on_run(trace, samples, choice, {.count = 5});
  ASSERT_FALSE(advice.proposals.empty());
  EXPECT_EQ(advice.proposals[0].hypothesis.place, "assemble");
  for (const auto& proposal : advice.proposals) EXPECT_NE(proposal.hypothesis.place, "iterate");
}

TEST(Advice, ThereIsNoneForAProgramOfComputationAlone) {
  const Trace trace = untimed_trace(1, "rank 0\n init\n finalize\n");
  const ModelChoice choice{.model = {1, 1, 1}, .graph = {}, .network = {}};
  EXPECT_TRUE(advice_on_program(trace, kNoSamples, choice, {.count = 5}).proposals.empty());
}

}  // namespace
}  // namespace slackline
