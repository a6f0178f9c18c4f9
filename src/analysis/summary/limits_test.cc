#include "analysis/summary/limits.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "analysis/summary/diagnosis.h"
#include "analysis/waits/wait_states.h"
#include "formats/text/text.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::timed_trace;

std::vector<LimitingCause> limits_of(const Trace& trace) {
  return diagnose(trace, CallPaths(trace)).limits;
}

const LimitingCause* find(const std::vector<LimitingCause>& causes, Limit limit) {
  for (const LimitingCause& c : causes) {
    if (c.limit == limit) return &c;
  }
  return nullptr;
}

// Rank 0 waits 600 of 2 x 1000 ns, while it has computed a third of what rank 1 computes.
TEST(Limits, AreImbalanceWhereAnotherRankComputesLonger) {
  const auto causes =
      limits_of(timed_trace(2, "rank 0\n @300 +700 barrier\nrank 1\n @900 +100 barrier\n"));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::imbalance);
  EXPECT_NEAR(causes[0].share, 0.3, 1e-9);
  EXPECT_THAT(causes[0].ranks, ElementsAre(1));
  EXPECT_EQ(causes[0].operation, Operation::barrier);
}

// The same, but rank 0 has been idle since the barrier before.
TEST(Limits, AreSerialisationWhereTheOthersHaveNothingToDo) {
  const auto causes = limits_of(timed_trace(2,
                                            "rank 0\n @0 +10 barrier\n @12 +988 barrier\n"
                                            "rank 1\n @0 +10 barrier\n @900 +100 barrier\n"));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::serialisation);
  EXPECT_THAT(causes[0].ranks, ElementsAre(1));
}

// The recording of rank 1 ends at 400 of 1000 ns; what rank 0 does after that is computation.
TEST(Limits, NameTheRankWhoseRecordingEndsEarly) {
  const auto causes = limits_of(timed_trace(2,
                                            "rank 0\n @0 +10 barrier\n @990 +10 pack\n"
                                            "rank 1\n @0 +10 barrier\n @390 +10 pack\n"));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::unknown);
  EXPECT_NEAR(causes[0].share, 0.3, 1e-9);
  EXPECT_THAT(causes[0].ranks, ElementsAre(1));
  EXPECT_THAT(causes[0].evidence, ::testing::HasSubstr("recording of rank 1 ends at 400"));
}

// Both ranks lack a processor for 3 of 10 ms. The sizes of the calls explain some 10 us of the 7 ms
// in them: the rest is no transfer.
TEST(Limits, AreProcessorsWhereCallsTakeFarLongerThanTheirSizesExplain) {
  std::string text;
  for (int rank = 0; rank < 2; ++rank) {
    text += fmt::format("rank {}\n @1000000 +3000000 pause no_processor\n", rank);
    for (int i = 0; i < 7; ++i) {
      text += fmt::format(" @{} +1000000 allreduce bytes=8192\n", 4'000'000 + i * 1'000'001);
    }
  }
  const auto causes = limits_of(timed_trace(2, text));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::processors);
  EXPECT_GT(causes[0].share, 0.8);
  const LimitingCause* transfer = find(causes, Limit::transfer);
  EXPECT_TRUE(transfer == nullptr || transfer->share < 0.01);
}

// Rank 1 computes 600 us of 2 ms and rank 0 200 us; the rest of the time they lack a processor. No
// wait state shows the imbalance; the CPU times do.
TEST(Limits, FindImbalanceInCpuTimeWhereRanksLackProcessors) {
  const auto causes =
      limits_of(timed_trace(2,
                            "rank 0\n @0 +1800000 pause no_processor\n @2000000 +10 barrier\n"
                            "rank 1\n @0 +1400000 pause no_processor\n @2000000 +10 barrier\n"));
  ASSERT_GE(causes.size(), 2U);
  EXPECT_EQ(causes[0].limit, Limit::processors);
  EXPECT_EQ(causes[1].limit, Limit::imbalance);
  EXPECT_NEAR(causes[1].share, 0.1, 1e-3) << "400 us of 2 x 2 ms";
  EXPECT_NEAR(causes[0].share, 0.8 - 0.1, 1e-3);
  EXPECT_TRUE(causes[0].doubts_others);
  EXPECT_THAT(causes[1].ranks, ElementsAre(1));
}

// Rank 0 computes 100 and lacks a processor for 450 ns, rank 1 500 and 100. With processors the run
// takes 500 of 600 ns, and balanced as well 300. Balanced without processors it would take longer,
// as rank 0 would compute 300: so imbalance gains a third of the run, or nothing.
TEST(Limits, AreFirstWhereTheirGainIsCertain) {
  const auto causes =
      limits_of(timed_trace(2,
                            "rank 0\n @100 +450 pause no_processor\n @550 +50 barrier\n"
                            "rank 1\n @500 +100 pause no_processor\n @600 barrier\n"));
  ASSERT_GE(causes.size(), 2U);
  EXPECT_EQ(causes[0].limit, Limit::processors);
  ASSERT_TRUE(causes[0].gain && causes[1].gain);
  EXPECT_NEAR(causes[0].gain->share, 100.0 / 600, 1e-9);
  EXPECT_EQ(causes[1].limit, Limit::imbalance);
  EXPECT_NEAR(causes[1].gain->share, 200.0 / 600, 1e-9);
  EXPECT_EQ(causes[1].gain->certain, 0);
  EXPECT_EQ(causes[1].gain->low, 0);
  EXPECT_GE(causes[1].gain->high, causes[1].gain->share);
}

// Every other one of 20 steps has 200 ns of rank 1 beside the 800 ns of both ranks: balanced, it
// saves 100 ns, and none in the others. For 19 steps from the first barrier on that is 9 or 10
// times 100 of some 17 us, each step 44 ns from the mean gain: twice sqrt(19) * 44 of 18 us are
// .021.
TEST(Limits, HaveErrorBarsOfWhatStretchesGain) {
  std::string ranks[2]{"rank 0\n", "rank 1\n"};
  int now = 0;
  for (int i = 0; i < 20; ++i) {
    const int late = i % 2 == 0 ? 200 : 0;
    ranks[0] += fmt::format(" @{} +{} barrier\n", now + 800, late);
    ranks[1] += fmt::format(" @{} barrier\n", now + 800 + late);
    now += 800 + late;
  }
  const auto causes = limits_of(timed_trace(2, ranks[0] + ranks[1]));
  const LimitingCause* const imbalance = find(causes, Limit::imbalance);
  ASSERT_TRUE(imbalance != nullptr && imbalance->gain);
  EXPECT_NEAR(imbalance->gain->share, 1000.0 / 18'000, 1e-4);
  EXPECT_NEAR(imbalance->gain->share - imbalance->gain->low, 0.021, 0.002);
  EXPECT_NEAR(imbalance->gain->high - imbalance->gain->share, 0.021, 0.002);
}

// Rank 1 is late because it has no processor for 600 of its 900 ns.
TEST(Limits, AreProcessorsWhereTheLateRankHadNone) {
  const auto causes =
      limits_of(timed_trace(2,
                            "rank 0\n @300 +700 barrier\n"
                            "rank 1\n @300 +600 pause no_processor\n @900 +100 barrier\n"));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::processors);
  EXPECT_NEAR(causes[0].share, 0.6, 1e-9) << "600 without a processor, and 600 waiting for that";
  EXPECT_EQ(find(causes, Limit::imbalance), nullptr);
}

// A rank that sleeps is late like one that computes; no other rank sleeps.
TEST(Limits, AreImbalanceWhereTheLateRankSleeps) {
  const auto causes =
      limits_of(timed_trace(2,
                            "rank 0\n @300 +700 barrier\n"
                            "rank 1\n @300 +600 pause blocked\n @900 +100 barrier\n"));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::imbalance);
  EXPECT_EQ(find(causes, Limit::blocked), nullptr);
}

TEST(Limits, AreBlockedWhereAllRanksAre) {
  const auto causes =
      limits_of(timed_trace(2,
                            "rank 0\n @300 +600 pause blocked\n @900 +100 barrier\n"
                            "rank 1\n @300 +600 pause blocked\n @900 +100 barrier\n"));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::blocked);
  EXPECT_NEAR(causes[0].share, 0.6, 1e-9);
  EXPECT_THAT(causes[0].ranks, IsEmpty());
}

// Nothing but MPI_Finalize makes the ranks meet, so that no rank waits for rank 0, which computes
// 300 of 600 ns while rank 1 has no processor.
TEST(Limits, AreProcessorsWhereNoRankWaitsForThoseThatCompute) {
  const auto causes = limits_of(timed_trace(2,
                                            "rank 0\n @0 +10 init\n @600 +400 finalize\n"
                                            "rank 1\n @0 +10 init\n @10 +590 pause no_processor\n"
                                            " @990 +10 finalize\n"));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::processors);
  EXPECT_EQ(find(causes, Limit::imbalance), nullptr);
}

// Rank 1 starts 700 ns after rank 0, which waits 690 ns for it; it computes less.
TEST(Limits, NameTheRankThatStartsLate) {
  const auto causes =
      limits_of(timed_trace(2,
                            "rank 0\n @0 +10 init\n @110 +690 barrier\n @1000 +1 finalize\n"
                            "rank 1 start=700\n @700 +10 init\n @790 +10 barrier\n"
                            " @1000 +1 finalize\n"));
  const LimitingCause* imbalance = find(causes, Limit::imbalance);
  ASSERT_NE(imbalance, nullptr);
  EXPECT_TRUE(imbalance->late_start);
  EXPECT_THAT(imbalance->ranks, ElementsAre(1));
  EXPECT_THAT(sentence(*imbalance, CallTree()), ::testing::HasSubstr("rank 1, which started late"));
}

// Rank 2 computes 800 and the others 200 ns; they wait for it in MPI_Finalize: 1200 of 3 x 800.
TEST(Limits, CountWaitingInFinalize) {
  const auto causes = limits_of(timed_trace(3,
                                            "rank 0\n @0 init\n @200 +610 finalize\n"
                                            "rank 1\n @0 init\n @200 +610 finalize\n"
                                            "rank 2\n @0 init\n @800 +10 finalize\n"));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::imbalance);
  EXPECT_NEAR(causes[0].share, 0.5, 1e-9);
  ASSERT_TRUE(causes[0].gain);
  EXPECT_NEAR(causes[0].gain->share, 0.5, 1e-9) << "400 each";
  EXPECT_THAT(causes[0].ranks, ElementsAre(2));
  EXPECT_EQ(causes[0].operation, Operation::finalize);
}

// Two ranks compute 100 and then 400 ns under a lock, three times each. One lock after the other
// takes 100 + 6 x 410 ns, and without waiting for them each rank 3 x 510; then 10 in a barrier.
TEST(Limits, AreImbalanceWhereRanksWaitForALock) {
  std::string ranks[2]{"rank 0\n", "rank 1\n"};
  int at[2]{0, 0};
  int free = 0;
  for (int i = 0; i < 6; ++i) {
    const int r = i % 2;
    const int asked = at[r] + 100;
    const int held = std::max(asked, free);
    ranks[r] += fmt::format(" @{} +{} win_lock target=0\n @{} +10 win_unlock target=0\n", asked,
                            held - asked, held + 400);
    at[r] = free = held + 410;
  }
  for (int r = 0; r < 2; ++r) {
    ranks[r] += fmt::format(" @{} +{} barrier\n", at[r], free + 10 - at[r]);
  }
  const auto causes = limits_of(timed_trace(2, ranks[0] + ranks[1]));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::imbalance);
  EXPECT_EQ(causes[0].operation, Operation::win_lock);
  ASSERT_TRUE(causes[0].gain);
  EXPECT_NEAR(causes[0].gain->share, 1 - 1570.0 / 2570, 1e-3) << "10 ns of each unlock stay";
}

// Three threads of rank 0 wait in MPI_Recv; its main thread computes 900 of 1000 ns meanwhile.
TEST(Limits, AreOfMainThreads) {
  const auto causes = limits_of(
      timed_trace(2,
                  "rank 0\n @0 +10 init\n @20 +880 recv from=1 tag=1 thread=1\n"
                  " @20 +880 recv from=1 tag=2 thread=2\n @20 +880 recv from=1 tag=3 thread=3\n"
                  " @910 +90 barrier\n @1000 +1 finalize\n"
                  "rank 1\n @0 +10 init\n @890 send to=0 tag=1\n @890 send to=0 tag=2\n"
                  " @890 send to=0 tag=3\n @990 +10 barrier\n @1000 +1 finalize\n"));
  for (const LimitingCause& cause : causes) {
    EXPECT_TRUE(cause.limit == Limit::computation || cause.share < 0.1) << cause.evidence;
    EXPECT_TRUE(!cause.gain || cause.gain->share < 0.1) << cause.evidence;
  }
}

// The recording ends while rank 1 waits 900 ns for a message that rank 0 has not sent.
TEST(Limits, NameTheRankThatNeverCame) {
  const auto causes = limits_of(
      timed_trace(2,
                  "rank 0 unfinalized stop=1000\n @0 +10 init\n @90 +10 pack\n"
                  "rank 1 unfinalized\n @0 +10 init\n @100 +900 recv from=0 unfinished\n"));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::serialisation);
  EXPECT_THAT(causes[0].ranks, ElementsAre(0));
  EXPECT_EQ(causes[0].operation, Operation::recv);
}

// Without a processor for 50 of 1000 ns each; rank 1 computes 150 longer than rank 0: balanced, the
// run would be 75 ns shorter.
TEST(Limits, DoNotBeginWithALittleLackOfProcessors) {
  const auto causes =
      limits_of(timed_trace(2,
                            "rank 0\n @0 +50 pause no_processor\n @850 +150 barrier\n"
                            "rank 1\n @0 +50 pause no_processor\n @1000 barrier\n"));
  ASSERT_GE(causes.size(), 2U);
  EXPECT_EQ(causes[0].limit, Limit::imbalance);
  EXPECT_NEAR(causes[0].share, 0.075, 1e-9);
  ASSERT_TRUE(causes[0].gain);
  EXPECT_NEAR(causes[0].gain->share, 0.075, 1e-9);
  EXPECT_EQ(causes[1].limit, Limit::processors);
  EXPECT_NEAR(causes[1].share, 0.05, 1e-9);
  EXPECT_FALSE(causes[1].doubts_others);
}

// Four ranks shared two processors: 1 % of the time they had none. A broadcast of 40 MB takes 84 %.
TEST(Limits, BeginWithTheLargestWhereRanksLackedProcessors) {
  std::string text = "finding oversubscribed notice 1 \"More ranks than processors.\"\n";
  for (int rank = 0; rank < 4; ++rank) {
    text += fmt::format(
        "rank {}\n @0 +100000 pause no_processor\n @1500000 +8400000 bcast bytes=40000000 root=0\n"
        " @10000000 barrier\n",
        rank);
  }
  const auto causes = limits_of(timed_trace(4, text));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::transfer);
  const LimitingCause* processors = find(causes, Limit::processors);
  ASSERT_NE(processors, nullptr);
  EXPECT_LT(processors->share, causes[0].share);
}

// Rank 0 works in sweep for 20 us, in steps, and then in save for 5 us, alone. Rank 1 works as long
// in steps, of which 5 us in save: over the run, sweep is what rank 0 does more than rank 1.
TEST(Limits, NameTheCodeThatRunsWhileOthersWait) {
  std::string text =
      "slackline-trace 1 timed ranks=2\nframe 1 0 main file=a.c line=30\n"
      "frame 2 0 main file=a.c line=31\nframe 3 0 main file=a.c line=33\n"
      "frame 4 0 main file=a.c line=34\nframe 5 1 sweep file=a.c line=8\n"
      "frame 6 3 save file=a.c line=15\n";
  for (int rank = 0; rank < 2; ++rank) {
    text += fmt::format("rank {}\n", rank);
    for (int at = 0; at < 20'200; at += 1010) {
      const int frame = rank == 1 && at >= 15 * 1010 ? 6 : 5;
      text += fmt::format(" @{} sample cpu=1000 frame={}\n @{} +10 barrier frame=2\n", at + 500,
                          frame, at + 1000);
    }
    text += rank == 0 ? " @22000 sample cpu=5000 frame=6\n @25200 +10 barrier frame=4\n"
                      : " @20200 +5010 barrier frame=4\n";
  }
  Samples samples;
  const Trace trace = read_text(text, "test", &samples);
  const CallMatching matching(trace);
  const CausalOrder order(trace, matching);
  const Diagnosis d = diagnose(trace, CallPaths(trace), matching, order,
                               wait_states(trace, matching, order, {}), {.samples = &samples});
  ASSERT_FALSE(d.limits.empty());
  const LimitingCause& first = d.limits.front();
  EXPECT_EQ(first.limit, Limit::imbalance) << "both do it, but not at the same time";
  EXPECT_EQ(trace.call_tree().location(first.frame).function, "save");
  EXPECT_THAT(first.ranks, ElementsAre(0));
}

// A block of 8 MB is sent while the rank waits for its completion, for 80 % of the time.
TEST(Limits, CountTheBytesOfNonblockingCollectives) {
  std::string text;
  for (int rank = 0; rank < 2; ++rank) {
    text += fmt::format("rank {}\n", rank);
    for (int i = 0; i < 5; ++i) {
      text += fmt::format(" @{} +1000 ialltoall bytes=8388608 req={}\n @{} +8000000 wait req={}\n",
                          1'000'000 + i * 10'000'000, i + 1, 2'000'000 + i * 10'000'000, i + 1);
    }
  }
  const auto causes = limits_of(timed_trace(2, text));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::transfer);
  EXPECT_NEAR(causes[0].share, 0.8, 0.05);
}

// Rank 0 asks four times, 20 us apart, whether the barrier is over that rank 1 enters at 200 us;
// what it does meanwhile, it does nowhere else.
std::string polling_run(const char* between_polls) {
  std::string text =
      "slackline-trace 1 timed ranks=2\nframe 1 0 main file=a.c line=30\n"
      "frame 2 1 work file=a.c line=8\nframe 3 1 idle file=a.c line=15\n"
      "frame 4 0 main file=a.c line=31\nframe 5 0 main file=a.c line=32\nrank 0\n"
      " @0 +10 init frame=1\n @50000 sample cpu=100000 frame=2\n @100000 +100 ibarrier req=1 "
      "frame=4\n @100100 +100 test req=1 failed frame=5\n";
  for (int i = 1; i < 5; ++i) {
    text += fmt::format(" @{} sample cpu=25000 frame={}\n @{} +100 test req=1 {}frame=5\n",
                        100'000 + i * 25'000 - 10'000, between_polls, 100'100 + i * 25'000,
                        i < 4 ? "failed " : "");
  }
  return text +
         " @300000 +10 finalize frame=1\nrank 1\n @0 +10 init frame=1\n"
         " @100000 sample cpu=200000 frame=2\n @190000 +100 ibarrier req=1 frame=4\n"
         " @190100 +10000 wait req=1 frame=5\n @300000 +10 finalize frame=1\n";
}

std::vector<LimitingCause> limits_of_polling(const char* between_polls) {
  Samples samples;
  const Trace trace = read_text(polling_run(between_polls), "test", &samples);
  const CallMatching matching(trace);
  const CausalOrder order(trace, matching);
  return diagnose(trace, CallPaths(trace), matching, order, wait_states(trace, matching, order, {}),
                  {.samples = &samples})
      .limits;
}

TEST(Limits, CountWhatOnlyPassesTheTimeBetweenPollsAsWaiting) {
  const auto idle = limits_of_polling("3");
  ASSERT_FALSE(idle.empty());
  EXPECT_EQ(idle[0].limit, Limit::imbalance);
  EXPECT_THAT(idle[0].ranks, ElementsAre(1));
  ASSERT_TRUE(idle[0].gain);
  EXPECT_NEAR(idle[0].gain->share, 45.0 / 300, 0.02) << "190 and 100 us of work";
  EXPECT_NEAR(idle[0].between_polls, 100.0 / 600, 0.01);
  const auto busy = limits_of_polling("2");
  const LimitingCause* const imbalance = find(busy, Limit::imbalance);
  EXPECT_TRUE(imbalance == nullptr || imbalance->gain->share < 0.05)
      << "it works in the same function at other times, too";
}

// 300 polls of 100 ns find nothing: there are no messages that could be many.
TEST(Limits, AreUnknownWherePollsFindNothing) {
  std::string ranks[2]{"rank 0\n", "rank 1\n"};
  for (int i = 0; i < 300; ++i) {
    for (std::string& rank : ranks)
      rank += fmt::format(" @{} +100 iprobe from=any any_source failed\n", 110 * i + 10);
  }
  const auto causes = limits_of(timed_trace(2, ranks[0] + ranks[1]));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::unknown);
  EXPECT_EQ(find(causes, Limit::message_rate), nullptr);
}

/// `count` sends of `bytes` from rank 0 to rank 1, 100 ns each, after 10 ns of computation.
Trace sends(int count, int bytes) {
  std::string ranks[2]{"rank 0\n", "rank 1\n"};
  for (int i = 0; i < count; ++i) {
    ranks[0] += fmt::format(" @{} +100 send to=1 bytes={}\n", 110 * i + 10, bytes);
    ranks[1] += fmt::format(" @{} +100 recv from=0 bytes={}\n", 110 * i + 10, bytes);
  }
  return timed_trace(2, ranks[0] + ranks[1]);
}

TEST(Limits, TellManySmallMessagesFromLargeOnes) {
  EXPECT_EQ(limits_of(sends(300, 8)).at(0).limit, Limit::message_rate);
  EXPECT_EQ(limits_of(sends(300, 1 << 20)).at(0).limit, Limit::transfer);
  EXPECT_EQ(limits_of(sends(3, 8)).at(0).limit, Limit::transfer) << "few are no rate";
}

// 3000 messages of ten functions, a tenth of each.
TEST(Limits, NameTheOperationWhereManyFunctionsLoseALittle) {
  std::string text = "slackline-trace 1 timed ranks=2\nframe 1 0 main file=a.c line=30\n";
  for (int f = 2; f < 12; ++f) text += fmt::format("frame {0} 1 f{0} file=a.c line={0}\n", f);
  std::string ranks[2]{"rank 0\n", "rank 1\n"};
  for (int i = 0; i < 3000; ++i) {
    const int at = 110 * i + 10;
    const int frame = 2 + i % 10;
    ranks[0] += fmt::format(" @{} +100 send to=1 bytes=8 frame={}\n", at, frame);
    ranks[1] += fmt::format(" @{} +100 recv from=0 bytes=8 frame={}\n", at, frame);
  }
  const LimitingCause first = limits_of(read_text(text + ranks[0] + ranks[1], "test")).at(0);
  EXPECT_EQ(first.limit, Limit::message_rate);
  EXPECT_EQ(first.frame, 0);
  EXPECT_NE(first.operation, Operation::none);
  EXPECT_FALSE(first.only_operation) << "half of it is in the other one";
}

// 300 sends of 100 ns each, and 3 of 6 us: what these take beyond their size is not explained, but
// that of the others is.
TEST(Limits, TellFewLongCallsFromTheOthers) {
  std::string ranks[2]{"rank 0\n", "rank 1\n"};
  int now = 0;
  for (int i = 0; i < 303; ++i) {
    const int length = i % 101 == 100 ? 60'000 : 1000;
    ranks[0] += fmt::format(" @{} +{} send to=1 bytes=8\n", now, length);
    ranks[1] += fmt::format(" @{} +{} recv from=0 bytes=8\n", now, length);
    now += length;
  }
  const auto causes = limits_of(timed_trace(2, ranks[0] + ranks[1]));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::message_rate);
  EXPECT_NEAR(causes[0].share, 300.0 / 480, 1e-9);
  const LimitingCause* unknown = find(causes, Limit::unknown);
  ASSERT_NE(unknown, nullptr);
  EXPECT_NEAR(unknown->share, 180.0 / 480, 1e-9);
  EXPECT_THAT(unknown->evidence, ::testing::HasSubstr(" 18.8 % in 3 of 303 calls of MPI_"));
}

// Rank 0 is late for 500 of 1000 ns of each step in the third quarter of 40 us.
TEST(Limits, SayWhenTheTimeIsLost) {
  std::string ranks[2]{"rank 0\n", "rank 1\n"};
  for (int i = 0; i < 40; ++i) {
    const bool late = i >= 20 && i < 30;
    ranks[0] += fmt::format(" @{} +10 barrier\n", 1000 * i + (late ? 990 : 500));
    ranks[1] += fmt::format(" @{} +{} barrier\n", 1000 * i + 490, late ? 510 : 20);
  }
  const auto causes = limits_of(timed_trace(2, ranks[0] + ranks[1]));
  const LimitingCause* const imbalance = find(causes, Limit::imbalance);
  ASSERT_NE(imbalance, nullptr);
  EXPECT_THAT(imbalance->ranks, ElementsAre(0));
  EXPECT_GE(imbalance->interval.begin_ns, 19'000);
  EXPECT_LE(imbalance->interval.end_ns, 31'000);
}

TEST(Limits, AreComputationWhereNothingElseTakesATwentieth) {
  const auto causes =
      limits_of(timed_trace(2, "rank 0\n @990 +10 barrier\nrank 1\n @988 +12 barrier\n"));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].limit, Limit::computation);
  EXPECT_NEAR(causes[0].share, 0.989, 1e-9);
}

TEST(Limits, SumUpToTheRankTimeWithComputation) {
  const Trace trace = timed_trace(3,
                                  "rank 0\n @100 +800 send to=1 bytes=8\n @900 +100 barrier\n"
                                  "rank 1\n @100 +100 recv from=0 bytes=8\n @200 +800 barrier\n"
                                  "rank 2\n @50 +50 pause no_processor\n @100 +900 barrier\n");
  const Diagnosis d = diagnose(trace, CallPaths(trace));
  double sum = d.shares.share(d.shares.sum_ns.compute);
  for (const LimitingCause& c : d.limits) {
    if (c.limit != Limit::computation) sum += c.share;
  }
  EXPECT_NEAR(sum, 1, 0.02) << "but for losses below a hundredth";
}

}  // namespace
}  // namespace slackline
