// What a rank did between its calls: processors, costs of recording, counters.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "formats/raw/findings.h"
#include "formats/raw/testing/raw_file_builder.h"
#include "trace/sample_wire.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using testing::RawFileBuilder;
using testing::RawReaderTest;

TEST_F(RawReaderTest, TimeOffTheProcessorIsAPauseInTheComputation) {
  RawFileBuilder file(0, 1);
  file.call(SLK_OP_init, 2000, 2100).call(SLK_OP_barrier, 12100, 12200);
  file.add({12100, 12100, 4000, -1, 0, 0, 0, 0, 0, 0, SLK_REC_OFF_PROCESSOR});
  file.call(SLK_OP_barrier, 22200, 22300);
  // More than the whole gap: as much as there is. Of a call that is not the last: nothing.
  file.add({22200, 22200, 50000, -1, 0, 0, 0, 0, 0, 0, SLK_REC_OFF_PROCESSOR});
  file.add({12100, 12100, 4000, -1, 0, 0, 0, 0, 0, 0, SLK_REC_OFF_PROCESSOR});
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  const RankCalls& calls = trace.calls(0);
  ASSERT_EQ(calls.pauses().size(), 2u);
  EXPECT_EQ(calls.gap_ns(1), 10000);
  EXPECT_EQ(calls.useful_ns(1), 6000);
  EXPECT_EQ(calls.pauses()[0].end_ns, calls.begin_ns(1));
  EXPECT_EQ(calls.useful_ns(2), 0);
  EXPECT_TRUE(trace.findings().empty());
}

TEST_F(RawReaderTest, TimeBlockedAndTimeWrittenArePausesOfTheirOwn) {
  RawFileBuilder file(0, 1);
  file.call(SLK_OP_init, 2000, 2100);
  file.add({3000, 3500, 0, -1, 0, 0, 0, 0, 0, 0, SLK_REC_STAGE_WRITTEN});
  file.call(SLK_OP_barrier, 12100, 12200);
  file.add({12100, 12100, 4000, -1, 0, 0, 0, 0, 0, 0, SLK_REC_OFF_PROCESSOR});
  file.add({12100, 12100, 1000, -1, 0, 0, 0, 0, 0, 0, SLK_REC_BLOCKED});
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  const RankCalls& calls = trace.calls(0);
  EXPECT_EQ(calls.paused_ns(1, PauseKind::recording), 500);
  EXPECT_EQ(calls.paused_ns(1, PauseKind::no_processor), 4000);
  EXPECT_EQ(calls.paused_ns(1, PauseKind::blocked), 1000);
  EXPECT_EQ(calls.useful_ns(1), 10000 - 5500);
  EXPECT_TRUE(trace.findings().empty());
}

/// The arguments of SLK_REC_BLOCKING_CALLS.
std::vector<std::int64_t> blocking_arguments(std::int64_t calls, std::int64_t time_ns,
                                             std::int64_t blocked_ns, const std::string& function,
                                             const std::string& file) {
  std::vector<std::int64_t> args{calls, time_ns, blocked_ns};
  std::string text = function + '\0' + file + '\0';
  text.resize((text.size() + 7) / 8 * 8);
  for (std::size_t i = 0; i < text.size(); i += 8) {
    std::int64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    args.push_back(word);
  }
  return args;
}

/// A file of samples.
std::string with_sampling_header(std::string bytes) {
  const slk_sampling_header header{SLK_SAMPLES_VERSION, SLK_SAMPLING_ON, 1'000'000, 0, 0};
  std::memcpy(bytes.data() + SLK_SAMPLING_HEADER_AT, &header, sizeof header);
  return bytes;
}

TEST_F(RawReaderTest, BlockingCallsOfOnePlaceAndFileAddUp) {
  RawFileBuilder file(0, 1);
  file.call(SLK_OP_init, 2000, 2100);
  write("rank-0.slkraw", file.bytes());
  RawFileBuilder samples(0, 1);
  const auto add = [&](int kind, std::uint64_t bytes, const std::vector<std::int64_t>& args) {
    samples.add({2050, 2050, bytes, -1, kind, 0, 0, 0, 0, 0, SLK_REC_BLOCKING_CALLS}, args);
  };
  add(SLK_BLOCKING_IO, 100, blocking_arguments(2, 70, 20, "write", "/a"));
  add(SLK_BLOCKING_SLEEP, 0, blocking_arguments(1, 900, 900, "nanosleep", ""));
  add(SLK_BLOCKING_IO, 11, blocking_arguments(1, 30, 30, "write", "/a"));
  add(SLK_BLOCKING_IO, 7, blocking_arguments(1, 5, 0, "write", "/b"));
  write("rank-0.slksamples", with_sampling_header(samples.bytes()));
  const Trace trace = read();
  EXPECT_TRUE(trace.findings().empty());
  const std::vector<BlockingCalls> expected{
      {BlockingKind::sleep, "nanosleep", "", 0, 1, 0, 900, 900},
      {BlockingKind::io, "write", "/a", 0, 3, 111, 100, 50},
      {BlockingKind::io, "write", "/b", 0, 1, 7, 5, 0}};
  EXPECT_THAT(trace.calls(0).blocking_calls(), ::testing::ElementsAreArray(expected));
}

TEST_F(RawReaderTest, DamagedBlockingCallsAreAFinding) {
  RawFileBuilder file(0, 1);
  file.call(SLK_OP_init, 2000, 2100);
  write("rank-0.slkraw", file.bytes());
  RawFileBuilder samples(0, 1);
  const auto add = [&](int kind, const std::vector<std::int64_t>& args) {
    samples.add({2050, 2050, 0, -1, kind, 0, 0, 0, 0, 0, SLK_REC_BLOCKING_CALLS}, args);
  };
  add(SLK_BLOCKING_IO, {1, 5, 0});
  add(0, blocking_arguments(1, 5, 0, "write", "/a"));
  add(SLK_BLOCKING_IO, blocking_arguments(1, 5, 6, "write", "/a"));
  add(SLK_BLOCKING_IO, blocking_arguments(0, 5, 0, "write", "/a"));
  write("rank-0.slksamples", with_sampling_header(samples.bytes()));
  const Trace trace = read();
  EXPECT_TRUE(trace.calls(0).blocking_calls().empty());
  ASSERT_EQ(trace.findings().entries().size(), 1u);
  EXPECT_EQ(trace.findings().entries()[0].count, 4u);
}

TEST_F(RawReaderTest, ParallelRegionsHaveTheTimesOfTheirThreads) {
  RawFileBuilder file(0, 1);
  file.header().nested_regions = 3;
  file.header().foreign_regions = 1;
  file.call(SLK_OP_init, 2000, 2100);
  // From 4000 to 10000; and two of 100 ns between 10000 and 11000.
  file.add({10000, 10000, 6000, -1, 0, 0, 1, 0, 0, 0, SLK_REC_PARALLEL},
           {6000, 300, 0, 2000, 4000, 5900, 0});
  file.add({11000, 11000, 1000, -1, 0, 0, 2, 0, 0, 0, SLK_REC_PARALLEL},
           {200, 0, 0, 200, 0, 150, 40});
  file.call(SLK_OP_barrier, 12100, 12200);
  // 300 ns in the first region, and 4200 ns outside, whether threads waited at barriers or not.
  file.add({12100, 12100, 4500, -1, 0, 0, 0, 0, 0, 0, SLK_REC_BLOCKED});
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  const RankCalls& calls = trace.calls(0);
  const ParallelRegions& regions = calls.parallel_regions();
  ASSERT_EQ(regions.all().size(), 2u);
  EXPECT_EQ(regions.locations(), 2u);
  EXPECT_EQ(regions.all()[0].begin_ns, 2000) << "the trace begins at 2000";
  EXPECT_EQ(regions.all()[0].end_ns, 8000);
  EXPECT_EQ(regions.all()[0].before_call, 1u);
  EXPECT_THAT(regions.times(regions.all()[0]),
              ElementsAre(LocationTime{2000, 4000}, LocationTime{5900, 0}));
  EXPECT_EQ(regions.all()[1].instances, 2u);
  EXPECT_EQ(regions.all()[1].length_ns, 200);
  EXPECT_EQ(calls.paused_ns(1, PauseKind::blocked), 4500);
  EXPECT_EQ(trace.findings().count(raw::kNestedRegions), 3u);
  EXPECT_EQ(trace.findings().count(raw::kForeignRegions), 1u);
}

TEST_F(RawReaderTest, ParallelRegionsThatCannotBeAreDamage) {
  RawFileBuilder file(0, 1);
  file.call(SLK_OP_init, 2000, 2100);
  file.add({10000, 10000, 6000, -1, 0, 0, 1, 0, 0, 0, SLK_REC_PARALLEL}, {6000, 0, 0, 3000, 4000});
  file.add({10000, 10000, 6000, -1, 0, 0, 1, 0, 0, 0, SLK_REC_PARALLEL}, {6001, 0, 0, 3000, 0});
  file.add({10000, 10000, 6000, -1, 0, 0, 1, 0, 0, 0, SLK_REC_PARALLEL}, {6000, 0, 0, 3000});
  file.add({10000, 10000, 6000, -1, 0, 0, 1, 0, 0, 0, SLK_REC_PARALLEL}, {6000, 0, 0});
  file.add({10000, 10000, 6000, -1, 0, 0, 1, 0, 0, 0, SLK_REC_PARALLEL}, {6000, 7000, 0, 3000, 0});
  file.add({10000, 10000, 6000, -1, 0, 0, 0, 0, 0, 0, SLK_REC_PARALLEL}, {6000, 0, 0, 3000, 0});
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  EXPECT_TRUE(trace.calls(0).parallel_regions().empty());
  EXPECT_EQ(trace.findings().count(kDamagedRecord), 6u);
}

// The runtime has started threads but does not tell of its regions: none, or lost to the analysis.
TEST_F(RawReaderTest, OpenmpThatCouldNotBeObservedIsSaid) {
  RawFileBuilder file(0, 1);
  file.call(SLK_OP_init, 2000, 2100);
  file.header().openmp_threads = 3;
  write("rank-0.slkraw", file.bytes());
  EXPECT_EQ(read().findings().count(raw::kOpenMPNotObserved), 1u);
  file.header().openmp = SLK_OPENMP_GNU;
  write("rank-0.slkraw", file.bytes());
  EXPECT_EQ(read().findings().count(raw::kOpenMPNotObserved), 0u);
  file.header().openmp = SLK_OPENMP_NONE;
  file.header().openmp_threads = 0;
  write("rank-0.slkraw", file.bytes());
  EXPECT_EQ(read().findings().count(raw::kOpenMPNotObserved), 0u);
}

// Its regions do not say what the main thread lost in them.
TEST_F(RawReaderTest, ParallelRegionsOfVersion10AreRead) {
  RawFileBuilder file(0, 1);
  constexpr std::uint8_t kParallel = 218;  // as the kind is numbered before version 14
  file.header().version = 10;
  file.call(SLK_OP_init, 2000, 2100);
  file.add({10000, 10000, 6000, -1, 0, 0, 1, 0, 0, 0, kParallel}, {6000, 2000, 4000, 5900, 0});
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  const ParallelRegions& regions = trace.calls(0).parallel_regions();
  ASSERT_EQ(regions.all().size(), 1u);
  EXPECT_THAT(regions.times(regions.all()[0]),
              ElementsAre(LocationTime{2000, 4000}, LocationTime{5900, 0}));
}

TEST_F(RawReaderTest, CostsOfRecordingAreTheMeanOfTheRanksThreads) {
  RawFileBuilder main(0, 1);
  main.call(SLK_OP_init, 2000, 2100).call(SLK_OP_barrier, 12100, 12200);
  main.add({12300, 12300, 3, -1, 0, 0, SLK_OP_barrier, 0, 0, 0, SLK_REC_CALL_COST}, {50, 30});
  RawFileBuilder other(0, 1);
  other.header().thread = 1;
  other.add({12300, 12300, 1, -1, 0, 0, SLK_OP_barrier, 0, 0, 0, SLK_REC_CALL_COST}, {90, 10});
  other.add({12300, 12300, 4, -1, 0, 0, SLK_OP_send, 0, 0, 0, SLK_REC_CALL_COST}, {20, 5});
  write("rank-0.slkraw", main.bytes());
  write("rank-0.t1.slkraw", other.bytes());
  const Trace trace = read();
  const auto costs = trace.calls(0).recording_costs();
  ASSERT_GT(costs.size(), std::size_t{SLK_OP_barrier});
  EXPECT_EQ(costs[SLK_OP_barrier], (RecordingCost{60, 25}));
  EXPECT_EQ(costs[SLK_OP_send], (RecordingCost{20, 5}));
  EXPECT_EQ(costs[SLK_OP_recv], (RecordingCost{40, 15})) << "never measured: as the others";
}

TEST_F(RawReaderTest, ARankThatDiedHasTheCostOfRecordingByTrial) {
  RawFileBuilder file(0, 1);
  file.header().cost_ns = 50'000;
  file.call(SLK_OP_init, 2000, 2100).call(SLK_OP_barrier, 12100, 12200);
  write("rank-0.slkraw", file.bytes());
  EXPECT_EQ(read().calls(0).recording_ns(1), 50);
  file.header().version = 7;
  write("rank-0.slkraw", file.bytes());
  EXPECT_EQ(read().calls(0).recording_ns(1), 0) << "recorded before these were kept";
}

TEST_F(RawReaderTest, CountersBelongToTheComputationBeforeACall) {
  constexpr std::uint64_t kSwitches = 1u << SLK_COUNTER_involuntary_switches;
  constexpr std::uint64_t kInstructions = 1u << SLK_COUNTER_instructions;
  RawFileBuilder file(0, 1);
  file.header().counters = kSwitches | kInstructions | 1u << SLK_COUNTER_cycles;
  file.call(SLK_OP_init, 2000, 2100).call(SLK_OP_barrier, 12100, 12200);
  file.add({12100, 12100, kSwitches | kInstructions, -1, 0, 0, 0, 0, 0, 0, SLK_REC_COUNTERS},
           {3, 5000});
  file.call(SLK_OP_barrier, 22200, 22300);
  file.add({22200, 22200, kInstructions, -1, 0, 0, 0, 0, 0, 0, SLK_REC_COUNTERS}, {70});
  // Before a call that is not the last one: nothing.
  file.add({12100, 12100, kInstructions, -1, 0, 0, 0, 0, 0, 0, SLK_REC_COUNTERS}, {900});
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  EXPECT_THAT(trace.counters(), ElementsAre("ru_nivcsw", "PAPI_TOT_INS", "PAPI_TOT_CYC"));
  const RankCalls& calls = trace.calls(0);
  EXPECT_EQ(calls.counter(0, 1), 3u);
  EXPECT_EQ(calls.counter(0, 2), 0u);
  EXPECT_EQ(calls.counter(1, 1), 5000u);
  EXPECT_EQ(calls.counter(1, 2), 70u);
  EXPECT_EQ(calls.counter(2, 1), 0u);
  EXPECT_TRUE(trace.findings().empty());
}

TEST_F(RawReaderTest, ImpossibleGainsAreDamage) {
  RawFileBuilder file(0, 1);
  file.header().counters = ~0u;
  file.call(SLK_OP_init, 2000, 2100).call(SLK_OP_barrier, 12100, 12200);
  file.add({12100, 12100, 7, -1, 0, 0, 0, 0, 0, 0, SLK_REC_COUNTERS}, {-1, 4});
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  EXPECT_EQ(trace.counters().size(), std::size_t{SLK_COUNTER_COUNT});
  EXPECT_EQ(trace.calls(0).counter(0, 1), 0u);
  EXPECT_EQ(trace.calls(0).counter(1, 1), 4u);
  EXPECT_EQ(trace.findings().count(kDamagedRecord), 2u) << "one negative, one missing";
}

TEST_F(RawReaderTest, StolenTimeIsThatOfTheHostsProcessors) {
  for (int rank = 0; rank < 3; ++rank) {
    RawFileBuilder file(rank, 3);
    file.header().processors[0] = rank == 2 ? 2 : 1;  // two ranks on one processor
    file.header().processors_ns = 1'000'000'000;
    file.header().stolen_ns = rank == 2 ? 0 : 30'000'000;
    file.header().missing_counters = rank == 0 ? 1u << SLK_COUNTER_cycles : 0;
    file.header().missing_reason = ENOENT;
    file.call(SLK_OP_init, 2000, 2100).call(SLK_OP_barrier, 12100, 12200);
    write("rank-" + std::to_string(rank) + ".slkraw", file.bytes());
  }
  const Trace trace = read();
  EXPECT_EQ(trace.info().processors_ns, 2'000'000'000);
  EXPECT_EQ(trace.info().stolen_ns, 30'000'000);
  EXPECT_EQ(trace.findings().count(raw::kNoHardwareCounters), 1u);
}

// Two ranks share one processor for 1 s and 1.25 s, of which they use a quarter and half; another
// process uses .2 of it. The third rank's processor is used by that rank alone.
TEST_F(RawReaderTest, OtherProcessesOnTheJobsProcessorsAreTold) {
  for (int rank = 0; rank < 3; ++rank) {
    RawFileBuilder file(rank, 3);
    file.header().processors[0] = rank == 2 ? 2 : 1;
    file.header().processors_ns = rank == 1 ? 1'250'000'000 : 1'000'000'000;
    file.header().used_ns = rank == 2 ? 900'000'000 : 950'000'000;
    file.header().used_by_process_ns = rank == 0   ? 250'000'000
                                       : rank == 1 ? 625'000'000
                                                   : 890'000'000;
    file.call(SLK_OP_init, 2000, 2100).call(SLK_OP_barrier, 12100, 12200);
    write("rank-" + std::to_string(rank) + ".slkraw", file.bytes());
  }
  const Trace trace = read();
  EXPECT_EQ(trace.info().processors_ns, 2'000'000'000);
  EXPECT_EQ(trace.info().other_processes_ns, 210'000'000);
  EXPECT_EQ(trace.findings().count(raw::kOtherProcesses), 1u);
}

// Where a rank may also run on the other's processor, it is not known whose time it is.
TEST_F(RawReaderTest, OtherProcessesAreNotKnownWhereRanksShareAPartOfTheirProcessors) {
  for (int rank = 0; rank < 2; ++rank) {
    RawFileBuilder file(rank, 2);
    file.header().processors[0] = rank == 0 ? 3 : 1;
    file.header().processors_ns = rank == 0 ? 2'000'000'000 : 1'000'000'000;
    file.header().used_ns = 1'000'000'000;
    file.header().used_by_process_ns = 300'000'000;
    file.call(SLK_OP_init, 2000, 2100).call(SLK_OP_barrier, 12100, 12200);
    write("rank-" + std::to_string(rank) + ".slkraw", file.bytes());
  }
  const Trace trace = read();
  EXPECT_EQ(trace.info().other_processes_ns, 0);
  EXPECT_EQ(trace.findings().count(raw::kOtherProcesses), 0u);
}

TEST_F(RawReaderTest, MoreRanksThanProcessorsAreSaidFirst) {
  for (int rank = 0; rank < 3; ++rank) {
    RawFileBuilder file(rank, 4);
    file.header().processors[0] = rank == 2 ? 2 : 1;
    file.header().knows_cpu_time = 1;
    file.call(SLK_OP_init, 2000, 2100).call(SLK_OP_barrier, 12100, 12200);
    file.add({12100, 12100, 5000, -1, 0, 0, 0, 0, 0, 0, SLK_REC_OFF_PROCESSOR});
    write("rank-" + std::to_string(rank) + ".slkraw", file.bytes());
  }
  const Trace trace = read();
  ASSERT_EQ(trace.findings().entries().size(), 2u) << "rank 3 is missing, too";
  const Findings::Entry& first = trace.findings().entries()[0];
  EXPECT_EQ(first.name, "oversubscribed");
  EXPECT_EQ(first.count, 3u);
  EXPECT_THAT(
      first.examples,
      ElementsAre(
          "node: 3 ranks on 2 processors, without a processor for 50 % of their computation"));
}

TEST_F(RawReaderTest, UnknownCpuTimeOfSharedProcessorsIsSaid) {
  for (int rank = 0; rank < 3; ++rank) {
    RawFileBuilder file(rank, 3);
    file.header().processors[0] = 3;
    file.header().knows_cpu_time = static_cast<std::uint32_t>(rank);  // not, exactly, sampled
    file.call(SLK_OP_init, 2000, 2100).call(SLK_OP_barrier, 12100, 12200);
    write("rank-" + std::to_string(rank) + ".slkraw", file.bytes());
  }
  const Trace trace = read();
  EXPECT_EQ(trace.findings().count(raw::kNoCpuTime), 1u);
  EXPECT_EQ(trace.findings().count(raw::kCpuTimeSampled), 1u);
  EXPECT_THAT(trace.findings().entries()[0].examples, ElementsAre("node: 3 ranks on 2 processors"));
}

TEST_F(RawReaderTest, FilesOfTheVersionBeforeAreRead) {
  RawFileBuilder file(0, 1);
  file.header().version = SLK_WIRE_OLDEST;
  write("rank-0.slkraw", file.call(SLK_OP_init, 2000, 2100).bytes());
  EXPECT_TRUE(read().findings().empty());
  file.header().version = SLK_WIRE_VERSION + 1;
  write("rank-0.slkraw", file.bytes());
  EXPECT_THROW(read(), Error);
}

TEST_F(RawReaderTest, WhatRecordingTookIsTheMeasuredSum) {
  RawFileBuilder file(0, 1);
  file.header().cost_ns = 50'000;
  file.header().calls = 1000;
  file.call(SLK_OP_init, 2000, 2100);
  write("rank-0.slkraw", file.bytes());
  EXPECT_EQ(read().info().recording_ns, 50'000) << "of a rank that died: by trial";
  file.header().recording_ns = 123'456;
  write("rank-0.slkraw", file.bytes());
  EXPECT_EQ(read().info().recording_ns, 123'456);
}

}  // namespace
}  // namespace slackline
