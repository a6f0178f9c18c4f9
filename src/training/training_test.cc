#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "training/collectives.h"
#include "training/training_analysis.h"
#include "training/training_run.h"

namespace slackline {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint32_t kThread = 0;
constexpr std::uint32_t kStream = 1;
constexpr std::uint32_t kCommStream = 2;
constexpr std::uint32_t kSecondGpu = 3;

/// A rank of one thread and two streams, written in the order of time.
class Rank {
 public:
  explicit Rank(std::int32_t rank) {
    profile_.rank = rank;
    profile_.locations = {{false, 1}, {true, 7}, {true, 24}, {true, 7, 1}};
  }
  /// A kernel on the rank's second GPU.
  Rank& kernel_on_second(const char* name, std::int64_t launched, TimeSpan time) {
    return run(GpuWork::computation, kSecondGpu, name, launched, time);
  }
  Rank& step(std::int64_t number, TimeSpan time) {
    profile_.steps.push_back({number, time});
    return *this;
  }
  Rank& range(CpuRangeKind kind, const char* name, TimeSpan time) {
    profile_.cpu.push_back({time, kind, kThread, name_of(name)});
    return *this;
  }
  Rank& synchronise(TimeSpan time) {
    profile_.runtime_calls.push_back({time, kThread, name_of("cudaDeviceSynchronize"), true});
    return *this;
  }
  Rank& kernel(const char* name, std::int64_t launched, TimeSpan time) {
    return run(GpuWork::computation, kStream, name, launched, time);
  }
  Rank& nccl(const char* operation, std::int64_t launched, TimeSpan time) {
    const std::string name = std::string("ncclDevKernel_") + operation + "_Sum_f16_RING_LL(x)";
    return run(GpuWork::communication, kCommStream, name.c_str(), launched, time);
  }
  Rank& copy(std::int64_t launched, TimeSpan time) {
    return run(GpuWork::copy, kStream, "Memcpy HtoD", launched, time);
  }
  /// Names the process group of the NCCL kernel before.
  Rank& in_group(const char* group, std::vector<std::int32_t> ranks) {
    profile_.gpu.back().collective = static_cast<std::uint32_t>(profile_.collectives.size());
    CollectiveDetail detail;
    detail.group = group;
    detail.ranks = std::move(ranks);
    profile_.collectives.push_back(std::move(detail));
    return *this;
  }
  ProfiledRank profile() const { return profile_; }

 private:
  std::uint32_t name_of(const char* name) {
    profile_.names.emplace_back(name);
    return static_cast<std::uint32_t>(profile_.names.size() - 1);
  }
  Rank& run(GpuWork work, std::uint32_t stream, const char* name, std::int64_t launched,
            TimeSpan time) {
    const auto launch = static_cast<std::uint32_t>(profile_.runtime_calls.size());
    profile_.runtime_calls.push_back({{launched, launched + 2}, kThread, name_of("launch"), false});
    profile_.gpu.push_back({time, work, stream, name_of(name), launch, kNotRecorded});
    return *this;
  }

  ProfiledRank profile_;
};

StepTime only_step(const Rank& rank) {
  Findings findings;
  const auto steps = step_times(rank.profile(), findings);
  EXPECT_EQ(steps.size(), 1u);
  return steps.at(0);
}

TEST(TrainingIntervals, AreUnitedCutAndClipped) {
  const TimeSpans all = united({{5, 7}, {0, 2}, {6, 9}, {2, 3}, {4, 4}});
  EXPECT_THAT(all, ElementsAre(TimeSpan{0, 3}, TimeSpan{5, 9}));
  EXPECT_THAT(without(all, {{1, 6}, {7, 8}}),
              ElementsAre(TimeSpan{0, 1}, TimeSpan{6, 7}, TimeSpan{8, 9}));
  EXPECT_THAT(common(all, {{1, 6}, {8, 12}}),
              ElementsAre(TimeSpan{1, 3}, TimeSpan{5, 6}, TimeSpan{8, 9}));
  EXPECT_THAT(clipped(all, {2, 6}), ElementsAre(TimeSpan{2, 3}, TimeSpan{5, 6}));
  EXPECT_EQ(total_ns(all), 7);
}

// Computation from 10 to 40, communication from 30 to 60: 20 of it exposed.
TEST(StepTimes, TellExposedCommunicationFromOverlap) {
  const StepTime step = only_step(Rank(0)
                                      .step(4, {0, 100})
                                      .kernel("gemm", 1, {10, 40})
                                      .nccl("AllReduce", 3, {30, 60})
                                      .copy(5, {50, 70}));
  EXPECT_EQ(step.step, 4);
  EXPECT_EQ(step.time, (TimeSpan{0, 100}));
  EXPECT_EQ(step.computation_ns, 30);
  EXPECT_EQ(step.exposed_communication_ns, 20);
  EXPECT_EQ(step.exposed_copy_ns, 10);
  EXPECT_EQ(step.overlap_ns, 10);
  EXPECT_EQ(step.idle.total_ns(), 40);
}

// Idle 0-10 (launch at 6: launch-bound, of which 0-5 loads data), 20-30 (launched at 8: queued),
// 40-60 (launched at 50 after a synchronising call until 48), 70-80 (nothing follows).
TEST(StepTimes, TellWhyTheGpuWasIdle) {
  const StepTime step =
      only_step(Rank(0)
                    .step(0, {0, 80})
                    .range(CpuRangeKind::annotation, "enumerate(DataLoader)#next", {0, 5})
                    .kernel("a", 6, {10, 20})
                    .kernel("b", 8, {30, 40})
                    .synchronise({15, 48})
                    .kernel("c", 50, {60, 70}));
  EXPECT_EQ(step.idle.data_loading_ns, 5);
  EXPECT_EQ(step.idle.queued_ns, 10);
  EXPECT_EQ(step.idle.synchronization_ns, 8);
  EXPECT_EQ(step.idle.launch_bound_ns, 5 + 12 + 10);
  EXPECT_EQ(step.idle.unknown_ns, 0);
}

// The GPU works on step 1 until 70, 20 after the CPU began with step 2.
TEST(StepTimes, FollowTheWorkThatAStepLaunched) {
  Findings findings;
  const auto steps = step_times(Rank(0)
                                    .step(1, {0, 50})
                                    .step(2, {50, 100})
                                    .kernel("a", 10, {20, 70})
                                    .kernel("b", 55, {80, 120})
                                    .profile(),
                                findings);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].time, (TimeSpan{0, 70}));
  EXPECT_EQ(steps[1].time, (TimeSpan{70, 120}));
  EXPECT_EQ(steps[1].computation_ns, 40);
  EXPECT_TRUE(findings.empty());
}

TEST(StepTimes, TakeAProfileWithoutStepsAsOne) {
  Findings findings;
  const auto steps = step_times(Rank(3).kernel("a", 10, {20, 70}).profile(), findings);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].time, (TimeSpan{10, 70}));
  EXPECT_EQ(findings.count(kNoSteps), 1u);
  EXPECT_THAT(step_times(Rank(0).profile(), findings), IsEmpty());
}

// Two GPUs work in turn, 30 and 31 of 101: on average 30.5 and 70.5, of which the first was
// launched before (20 to 30, 40 to 50) or by a call that came late.
TEST(StepTimes, AverageOverTheGpusOfARank) {
  const StepTime step = only_step(
      Rank(0).step(1, {0, 101}).kernel("a", 0, {0, 30}).kernel_on_second("a", 0, {30, 61}));
  EXPECT_EQ(step.computation_ns, 30);
  EXPECT_EQ(step.idle.total_ns(), 71);
  EXPECT_EQ(step.exposed_communication_ns, 0);
}

TEST(StepTimes, SayNothingOfGpusWithoutKernels) {
  Findings findings;
  const auto steps = step_times(Rank(3)
                                    .step(1, {0, 100})
                                    .range(CpuRangeKind::operation, "aten::mm", {0, 90})
                                    .copy(10, {12, 20})
                                    .profile(),
                                findings);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_FALSE(steps[0].has_gpu);
  EXPECT_EQ(steps[0].time, (TimeSpan{0, 100}));
  EXPECT_EQ(steps[0].idle.total_ns(), 0);
  EXPECT_EQ(findings.count(kNoGpuActivity), 1u);
}

TrainingRun run_of(std::initializer_list<Rank> ranks) {
  TrainingRun run;
  for (const Rank& rank : ranks) run.ranks.push_back(rank.profile());
  return run;
}

std::string cause_of(const Report& report) {
  const Json& cause = report.result["judgement"][1];
  EXPECT_EQ(cause["aspect"].as_string(), "cause");
  return cause["sentence"].as_string();
}

TEST(Collectives, AreJudgedByTheirLastRank) {
  Findings findings;
  const auto all = match_collectives(
      run_of({Rank(0).nccl("AllReduce", 1, {10, 50}), Rank(1).nccl("AllReduce", 1, {40, 51}),
              Rank(2).nccl("AllReduce", 1, {15, 50})}),
      findings);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].operation, "AllReduce");
  EXPECT_EQ(all[0].straggler, 1u);
  EXPECT_EQ(all[0].first, 0u);
  EXPECT_EQ(all[0].waiting_ns, 30 + 25);
  EXPECT_EQ(all[0].transfer_ns, 11);
  EXPECT_EQ(findings.count(kGroupsGuessed), 3u);
  EXPECT_EQ(findings.count(kGpuClocksDiffer), 0u);
}

// Two groups of one name: their members tell them apart.
TEST(Collectives, AreMatchedInTheirProcessGroups) {
  Findings findings;
  const auto all =
      match_collectives(run_of({Rank(0).nccl("AllReduce", 1, {0, 20}).in_group("tp", {0, 1}),
                                Rank(1).nccl("AllReduce", 1, {10, 20}).in_group("tp", {0, 1}),
                                Rank(2).nccl("AllReduce", 1, {30, 60}).in_group("tp", {2, 3}),
                                Rank(3).nccl("AllReduce", 1, {55, 60}).in_group("tp", {2, 3})}),
                        findings);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].waiting_ns, 10);
  EXPECT_EQ(all[1].waiting_ns, 25);
  EXPECT_EQ(all[1].members[1].rank, 3u);
  EXPECT_TRUE(findings.empty());
}

TEST(Collectives, AreNotMatchedWithOtherOperations) {
  Findings findings;
  const auto all = match_collectives(
      run_of({Rank(0).nccl("AllReduce", 1, {0, 20}).nccl("AllGather", 2, {30, 40}),
              Rank(1).nccl("AllReduce", 1, {0, 20}).nccl("ReduceScatter", 2, {30, 40})}),
      findings);
  EXPECT_EQ(all.size(), 1u);
  EXPECT_EQ(findings.count(kCollectivesUnmatched), 2u);
}

// A group of one rank has no partner that could be missing.
TEST(Collectives, OfOneRankAreWhole) {
  Findings findings;
  const auto all = match_collectives(
      run_of({Rank(3).nccl("AllReduce", 1, {0, 20}).in_group("dp", {3})}), findings);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].waiting_ns, 0);
  EXPECT_TRUE(findings.empty());
}

// Two streams of rank 1 run the two operations in another order.
TEST(Collectives, AreMatchedByOperation) {
  Findings findings;
  const auto all = match_collectives(
      run_of({Rank(0).nccl("AllReduce", 1, {0, 20}).nccl("AllGather", 2, {30, 40}),
              Rank(1).nccl("AllGather", 1, {25, 40}).nccl("AllReduce", 2, {5, 20})}),
      findings);
  EXPECT_EQ(all.size(), 2u);
  EXPECT_EQ(findings.count(kCollectivesUnmatched), 0u);
}

// Rank 2 has recorded one of two.
TEST(Collectives, AreMatchedAmongTheRanksThatHaveThem) {
  Findings findings;
  const auto all = match_collectives(
      run_of({Rank(0).nccl("AllReduce", 1, {0, 20}).nccl("AllReduce", 2, {30, 50}),
              Rank(1).nccl("AllReduce", 1, {5, 20}).nccl("AllReduce", 2, {40, 50}),
              Rank(2).nccl("AllReduce", 1, {9, 20})}),
      findings);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].members.size(), 3u);
  EXPECT_EQ(all[1].members.size(), 2u);
  EXPECT_EQ(all[1].waiting_ns, 10);
}

// Profiles before PyTorch 2.2 do not describe sends and receives.
TEST(Collectives, TakeEquallyManySendsOfAllRanksAsAllToAll) {
  Findings findings;
  const auto all = match_collectives(
      run_of({Rank(0).nccl("SendRecv", 1, {0, 20}), Rank(1).nccl("SendRecv", 1, {5, 20}),
              Rank(2).nccl("SendRecv", 1, {9, 20})}),
      findings);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].operation, "AllToAll");
  EXPECT_EQ(all[0].waiting_ns, 9 + 4);
  const auto none =
      match_collectives(run_of({Rank(0).nccl("SendRecv", 1, {0, 20}),
                                Rank(1).nccl("SendRecv", 1, {5, 20}).nccl("SendRecv", 2, {25, 30}),
                                Rank(2).nccl("SendRecv", 1, {25, 30})}),
                        findings);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(findings.count(kCollectivesUnmatched), 4u);
}

TEST(Collectives, ShowThatClocksDiffer) {
  Findings findings;
  const auto all = match_collectives(
      run_of({Rank(0).nccl("AllReduce", 1, {0, 20}), Rank(1).nccl("AllReduce", 1, {30, 50})}),
      findings);
  EXPECT_EQ(findings.count(kGpuClocksDiffer), 1u);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].waiting_ns, 20);  // never longer than the kernel
}

// Rank 1's clock is 1000 ahead: its kernels end 1000 after those of rank 0.
TEST(Clocks, AreCorrectedWhereCollectivesContradictThem) {
  TrainingRun run =
      run_of({Rank(0).nccl("AllReduce", 1, {10, 50}).nccl("AllReduce", 60, {70, 100}),
              Rank(1).nccl("AllReduce", 1, {1040, 1050}).nccl("AllReduce", 1060, {1065, 1100})});
  correct_clocks(run);
  EXPECT_EQ(run.ranks[0].gpu[0].time, (TimeSpan{10, 50}));
  EXPECT_EQ(run.ranks[1].gpu[0].time, (TimeSpan{40, 50}));
  EXPECT_EQ(run.ranks[1].gpu[1].time, (TimeSpan{65, 100}));
  EXPECT_EQ(run.findings.count(kGpuClocksCorrected), 1u);
}

TEST(Clocks, StayWhereTheyArePossible) {
  TrainingRun run =
      run_of({Rank(0).nccl("AllReduce", 1, {10, 50}), Rank(1).nccl("AllReduce", 1, {40, 55})});
  correct_clocks(run);
  EXPECT_EQ(run.ranks[1].gpu[0].time, (TimeSpan{40, 55}));
  EXPECT_TRUE(run.findings.empty());
}

// Rank 0 comes 50 late to rank 1, which therefore comes late to rank 2: of the waiting of rank 2
// for rank 1 from 10 to 80, rank 1 waited itself from 20 to 60, and rank 0 caused that part.
TEST(WaitingCauses, ArePassedOnByRanksThatWaited) {
  const TrainingRun run = run_of({Rank(0).nccl("AllReduce", 1, {60, 70}).in_group("a", {0, 1}),
                                  Rank(1)
                                      .nccl("AllReduce", 1, {20, 70})
                                      .in_group("a", {0, 1})
                                      .nccl("AllReduce", 1, {80, 90})
                                      .in_group("b", {1, 2}),
                                  Rank(2).nccl("AllReduce", 1, {10, 90}).in_group("b", {1, 2})});
  Findings findings;
  const auto collectives = match_collectives(run, findings);
  std::vector<std::array<std::int64_t, 3>> causes;
  for (const CausedWaiting& cause : waiting_causes(run, collectives)) {
    causes.push_back({cause.collective, cause.rank, cause.time_ns});
  }
  EXPECT_EQ(causes, (std::vector<std::array<std::int64_t, 3>>{{0, 0, 40}, {1, 0, 40}, {1, 1, 30}}));
}

// Rank 1 launches its kernel 60 late, as it is in aten::item for 70.
TrainingRun run_with_straggler() {
  return run_of({Rank(0)
                     .step(7, {0, 100})
                     .range(CpuRangeKind::operation, "aten::item", {0, 10})
                     .range(CpuRangeKind::operation, "c10d::allreduce_", {10, 20})
                     .nccl("AllReduce", 15, {20, 100}),
                 Rank(1)
                     .step(7, {0, 100})
                     .range(CpuRangeKind::module, "nn.Module: Model_0", {0, 100})
                     .range(CpuRangeKind::operation, "aten::item", {0, 70})
                     .range(CpuRangeKind::operation, "c10d::allreduce_", {70, 79})
                     .nccl("AllReduce", 75, {80, 100})});
}

TEST(Stragglers, AreNamedWithWhatTheyDid) {
  const TrainingAnalysis analysis = analyse_training(run_with_straggler());
  ASSERT_EQ(analysis.stragglers.size(), 1u);
  const Straggler& straggler = analysis.stragglers[0];
  EXPECT_EQ(straggler.rank, 1);
  EXPECT_EQ(straggler.share, 1.0);
  EXPECT_EQ(straggler.caused_ns, 60);
  ASSERT_TRUE(straggler.place);
  EXPECT_EQ(straggler.place->operation, "aten::item");
  EXPECT_EQ(straggler.place->module, "nn.Module: Model_0");
  ASSERT_EQ(analysis.steps.size(), 1u);
  EXPECT_EQ(analysis.steps[0].straggler_rank, 1);
  EXPECT_EQ(analysis.steps[0].ranks[0].waiting_ns, 60);
  EXPECT_EQ(analysis.steps[0].exposed_communication_ns, (80 + 20) / 2);
}

// Each rank comes last once, by 30 of 100.
TEST(Stragglers, AreNotNamedWhereRanksWaitAlike) {
  const TrainingAnalysis analysis = analyse_training(run_of(
      {Rank(0).step(7, {0, 100}).nccl("AllReduce", 1, {10, 45}).nccl("AllReduce", 2, {85, 90}),
       Rank(1).step(7, {0, 100}).nccl("AllReduce", 1, {40, 45}).nccl("AllReduce", 2, {55, 90})}));
  EXPECT_EQ(analysis.waiting_ns, 60);
  ASSERT_EQ(analysis.steps.size(), 1u);
  EXPECT_FALSE(analysis.steps[0].straggler_rank);
  EXPECT_FALSE(straggler_of(rank_sums(analysis)));
}

// As run_with_straggler(), but most of the communication is an all-gather of rank 0 alone.
TEST(Stragglers, AreNotNamedWhereMostCommunicationIsUnmatched) {
  const auto job = [](std::int64_t end_ns) {
    return run_of(
        {Rank(0)
             .step(7, {0, 500})
             .nccl("AllReduce", 1, {10, 90})
             .nccl("AllGather", 2, {90, end_ns}),
         Rank(1).step(7, {0, 500}).kernel("gemm", 1, {2, 70}).nccl("AllReduce", 2, {70, 90})});
  };
  const TrainingRun half = job(190);  // 100 of the 200 in all
  EXPECT_EQ(straggler_of(rank_sums(analyse_training(half))), 1);
  const TrainingRun less = job(192);
  const Report report = describe(less, analyse_training(less));
  EXPECT_TRUE(report.result["straggler_rank"].is_null());
  EXPECT_DOUBLE_EQ(report.result["exposed_communication_matched_share"].as_double(), 100.0 / 202);
  EXPECT_THAT(cause_of(report), HasSubstr("less than half of the exposed communication"));
}

// Rank 1 computes longer by a part of the step, and rank 0 waits as long.
TEST(Stragglers, DelayTheOthersByMoreThanChance) {
  const auto straggler = [](std::int64_t late_ns) {
    return straggler_of(rank_sums(analyse_training(
        run_of({Rank(0).step(1, {0, 1000}).nccl("AllReduce", 1, {500, 600 + late_ns}),
                Rank(1)
                    .step(1, {0, 1000})
                    .kernel("gemm", 1, {100, 500 + late_ns})
                    .nccl("AllReduce", 2, {500 + late_ns, 600 + late_ns})}))));
  };
  EXPECT_FALSE(straggler(50));
  EXPECT_EQ(straggler(51), 1);
}

// The part of a step of 100 in which no kernel computes, where no rank is late.
TEST(TrainingReport, SaysWhatTakesTimeWithoutStraggler) {
  const auto cause = [](const Rank& first, const Rank& second) {
    const TrainingRun run = run_of({first, second});
    return cause_of(describe(run, analyse_training(run)));
  };
  const auto transferring = [](std::int32_t rank) {
    return Rank(rank).step(1, {0, 100}).kernel("a", 1, {3, 60}).nccl("AllReduce", 2, {60, 100});
  };
  EXPECT_THAT(cause(transferring(0), transferring(1)),
              AllOf(HasSubstr("No straggler"), HasSubstr("transfers"), HasSubstr("40.0 %")));
  const auto launching = [](std::int32_t rank) {
    return Rank(rank).step(1, {0, 100}).kernel("a", 1, {3, 30}).kernel("b", 68, {70, 100});
  };
  EXPECT_THAT(cause(launching(0), launching(1)),
              AllOf(HasSubstr("No straggler"), HasSubstr("launching"), HasSubstr("43.0 %")));
  const auto alternating = [](std::int32_t rank) {
    const bool late = rank == 1;
    return Rank(rank)
        .step(1, {0, 100})
        .kernel("a", 1, {0, late ? 40 : 2})
        .nccl("AllReduce", 2, {late ? 40 : 2, 42})
        .kernel("a", 50, {52, late ? 54 : 92})
        .nccl("AllReduce", 51, {late ? 54 : 92, 94});
  };
  EXPECT_THAT(
      cause(alternating(0), alternating(1)),
      AllOf(HasSubstr("No straggler"), HasSubstr("no single rank causes"), HasSubstr("38.0 %")));
  const auto computing = [](std::int32_t rank) {
    return Rank(rank).step(1, {0, 100}).kernel("a", 1, {3, 100});
  };
  EXPECT_EQ(cause(computing(0), computing(1)),
            "No straggler among the recorded ranks: none delays the others by more than 5.0 % of "
            "the step "
            "time.");
}

TEST(TrainingReport, HasStepsAndStragglers) {
  const TrainingRun run = run_with_straggler();
  const Report report = describe(run, analyse_training(run));
  const Json& step = report.result["steps"][0];
  EXPECT_EQ(step["step"].as_int(), 7);
  EXPECT_EQ(step["duration_ns"].as_int(), 100);
  EXPECT_EQ(step["exposed_communication_ns"].as_int(), 50);
  EXPECT_EQ(step["idle_ns"].as_int(), 50);
  EXPECT_EQ(step["straggler_rank"].as_int(), 1);
  EXPECT_EQ(report.result["straggler_rank"].as_int(), 1);
  EXPECT_EQ(report.result["exposed_communication_matched_share"].as_double(), 1.0);
  const Json& straggler = report.result["stragglers"][0];
  EXPECT_EQ(straggler["rank"].as_int(), 1);
  EXPECT_EQ(straggler["operator"].as_string(), "aten::item");
  EXPECT_EQ(report.findings.count(kGroupsGuessed), 2u);
}

std::string all_text(const Report& report) {
  std::string text;
  for (const Section& section : report.sections) {
    for (const Item& item : section.items) {
      if (const auto* paragraph = std::get_if<Paragraph>(&item)) text += paragraph->text + "\n";
    }
  }
  return text;
}

TEST(TrainingReport, SaysOfOneRankNothingOnOthers) {
  const auto report_on = [](const Rank& rank) {
    const TrainingRun run = run_of({rank});
    return Report(describe(run, analyse_training(run)));
  };
  const Report idle = report_on(Rank(0).step(1, {0, 100}).kernel("a", 68, {70, 100}));
  EXPECT_THAT(all_text(idle), AllOf(HasSubstr("launching kernels: 70.0 %"),
                                    Not(HasSubstr("traggler")), Not(HasSubstr("ranks"))));
  const Report communicating =
      report_on(Rank(0).step(1, {0, 100}).kernel("a", 1, {0, 60}).nccl("AllReduce", 2, {60, 100}));
  EXPECT_THAT(all_text(communicating),
              AllOf(HasSubstr("exposed communication: 40.0 %"), Not(HasSubstr("ranks"))));
}

TEST(TrainingReport, SaysThatNoGpuWasProfiled) {
  const Rank cpu = Rank(0).step(1, {0, 100}).range(CpuRangeKind::operation, "aten::mm", {0, 90});
  const TrainingRun none = run_of({cpu, Rank(1).step(1, {0, 100})});
  const Report report = describe(none, analyse_training(none));
  EXPECT_THAT(all_text(report), AllOf(HasSubstr("No GPU was profiled"), Not(HasSubstr("idle GPU")),
                                      Not(HasSubstr("launching"))));
  const Json& step = report.result["steps"][0];
  EXPECT_TRUE(step["idle_ns"].is_null());
  EXPECT_TRUE(step["ranks"][0]["computation_ns"].is_null());
  EXPECT_EQ(step["duration_ns"].as_int(), 100);
  EXPECT_EQ(report.findings.count(kNoGpuActivity), 2u);
  // Means are those of the ranks that have kernels.
  const TrainingRun one = run_of({cpu, Rank(1).step(1, {0, 100}).kernel("a", 1, {0, 100})});
  const Report of_one = describe(one, analyse_training(one));
  EXPECT_EQ(of_one.result["steps"][0]["idle_ns"].as_int(), 0);
}

TEST(TrainingReport, HasNoStragglerOfOneRank) {
  const TrainingRun run = run_of({Rank(0).step(1, {0, 9}).kernel("a", 1, {2, 5})});
  const Report report = describe(run, analyse_training(run));
  EXPECT_EQ(report.result["stragglers"].size(), 0u);
  EXPECT_TRUE(report.result["steps"][0]["straggler_rank"].is_null());
  EXPECT_TRUE(report.result["straggler_rank"].is_null());
  EXPECT_TRUE(report.result["exposed_communication_matched_share"].is_null());
}

}  // namespace
}  // namespace slackline
