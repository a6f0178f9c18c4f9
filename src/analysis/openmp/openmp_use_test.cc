#include "analysis/openmp/openmp_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analysis/runs/measured.h"
#include "analysis/summary/diagnosis.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using testing::timed_trace;

OpenMPUse use_of(const Trace& trace, TimeInterval interval) {
  return *openmp_use(trace, interval, measured_run(trace, interval)->ranks_ns);
}

// One rank, 4 threads, 0 to 1000 ns; MPI from 900. The region lasts 600: thread 3 works 600, the
// others 200. Serial: 300.
constexpr const char* kOneLateThread =
    "rank 0\n"
    " @0 +0 barrier\n"
    " @100 +600 parallel busy=200,200,200,600 waiting=400,400,400,0\n"
    " @900 +100 barrier\n";

TEST(OpenMPUse, HasNothingWithoutRegions) {
  const Trace trace = timed_trace(1, "rank 0\n @0 +0 barrier\n @900 +100 barrier\n");
  EXPECT_FALSE(openmp_use(trace, {0, 1000}, measured_run(trace, {0, 1000})->ranks_ns));
}

TEST(OpenMPUse, SplitsThreadTimeOutsideOfMpi) {
  const OpenMPUse use = use_of(timed_trace(1, kOneLateThread), {0, 1000});
  EXPECT_EQ(use.threads, 4u);
  EXPECT_EQ(use.ranks[0].parallel_ns, 600);
  EXPECT_EQ(use.ranks[0].serial_ns, 300);
  EXPECT_EQ(use.time.total(), 4 * 900);
  EXPECT_EQ(use.time.work, 300 + 3 * 200 + 600);
  EXPECT_EQ(use.time.serial_idle, 3 * 300);
  EXPECT_EQ(use.time.imbalance, 3 * 400);
  EXPECT_EQ(use.time.synchronisation, 0);
  EXPECT_EQ(use.ranks[0].locations[3].work_ns, 600);
  EXPECT_EQ(use.ranks[0].locations[0].waiting_ns, 400);
}

// By hand: 1500 of 4000 ns of thread time are work; 3600 are outside of MPI.
TEST(OpenMPUse, IsTheProductOfTwoLevels) {
  const HybridFactors f = factors(use_of(timed_trace(1, kOneLateThread), {0, 1000}));
  EXPECT_DOUBLE_EQ(f.hybrid, 1500.0 / 4000);
  EXPECT_DOUBLE_EQ(f.mpi, 0.9);
  EXPECT_DOUBLE_EQ(f.mpi_load_balance, 1);
  EXPECT_DOUBLE_EQ(f.openmp, 1500.0 / 3600);
  EXPECT_DOUBLE_EQ(f.serial, 2700.0 / 3600);
  EXPECT_DOUBLE_EQ(f.load_balance, 1500.0 / 2700);
  EXPECT_DOUBLE_EQ(f.synchronisation, 1);
  EXPECT_DOUBLE_EQ(f.mpi * f.openmp, f.hybrid);
  EXPECT_DOUBLE_EQ(f.serial * f.load_balance * f.synchronisation, f.openmp);
}

// Where the teams of all ranks are equal, the MPI level is what POP says without threads.
TEST(OpenMPUse, HasThePlainParallelEfficiencyAsItsMpiLevel) {
  const Trace trace = timed_trace(
      2,
      "rank 0\n @0 +0 barrier\n @100 +200 parallel busy=200,100 waiting=0,100\n @400 +600 barrier\n"
      "rank 1\n @0 +0 barrier\n @0 +900 parallel busy=900,900 waiting=0,0\n @900 +100 barrier\n");
  const HybridFactors f = factors(use_of(trace, {0, 1000}));
  EXPECT_DOUBLE_EQ(f.mpi, (400.0 + 900) / 2000);
  EXPECT_DOUBLE_EQ(f.mpi_communication, 0.9);
  EXPECT_DOUBLE_EQ(f.mpi_load_balance, 650.0 / 900);
}

TEST(OpenMPUse, CountsThreadsOutsideOfTheTeamAsSerial) {
  const OpenMPUse use =
      use_of(timed_trace(1,
                         "rank 0\n @0 +0 barrier\n"
                         " @0 +100 parallel busy=100,100,100,100 waiting=0,0,0,0\n"
                         " @100 +100 parallel busy=100,90 waiting=0,0\n"
                         " @200 +0 barrier\n"),
             {0, 200});
  EXPECT_EQ(use.time.total(), 800);
  EXPECT_EQ(use.time.serial_idle, 200);
  EXPECT_EQ(use.time.synchronisation, 10) << "thread 1 began 10 ns after the region";
}

// The main thread communicates for 300 ns, for which the other waits afterwards.
TEST(OpenMPUse, LeavesMpiInsideOfARegionToMpi) {
  const OpenMPUse use = use_of(timed_trace(1,
                                           "rank 0\n @0 +0 barrier\n"
                                           " @100 +300 barrier\n"
                                           " @0 +500 parallel busy=500,200 waiting=0,300\n"
                                           " @500 +500 barrier\n"),
                               {0, 1000});
  EXPECT_EQ(use.ranks[0].parallel_ns, 200);
  EXPECT_EQ(use.time.work, 200 + 200);
  EXPECT_EQ(use.time.imbalance, 0) << "thread 1 waits for MPI, not for thread 0's work";
  EXPECT_EQ(use.time.synchronisation, 0);
  EXPECT_EQ(use.time.total(), 400) << "200 of each thread";
  EXPECT_EQ(use.ranks[0].locations[0].work_ns, 200);
}

// The interval begins within the call, for which thread 1 waits.
TEST(OpenMPUse, LeavesACallAtTheBeginOfTheIntervalToMpi) {
  const OpenMPUse use = use_of(timed_trace(1,
                                           "rank 0\n @0 +0 barrier\n"
                                           " @100 +400 barrier\n"
                                           " @0 +1000 parallel busy=1000,500 waiting=0,500\n"
                                           " @1000 +0 barrier\n"),
                               {200, 1000});
  EXPECT_EQ(use.ranks[0].parallel_ns, 500);
  EXPECT_EQ(use.ranks[0].locations[0].work_ns, 500);
}

// A team of the initialisation, which is not analysed, has no idle threads in what is.
TEST(OpenMPUse, HasTheThreadsOfTheIntervalsTeams) {
  const std::string text =
      "rank 0\n @0 +0 barrier\n"
      " @0 +100 parallel busy=100,100,100,100 waiting=0,0,0,0\n"
      " @100 +0 barrier\n @200 +100 parallel busy=100,100 waiting=0,0\n @300 +0 barrier\n";
  const OpenMPUse use = use_of(timed_trace(1, text), {150, 300});
  EXPECT_EQ(use.threads, 2u);
  EXPECT_EQ(use.time.total(), 2 * 150);
  EXPECT_EQ(use.time.serial_idle, 50);
  const OpenMPUse serial = use_of(timed_trace(1, text), {110, 190});
  EXPECT_EQ(serial.threads, 4u) << "no team in the interval: all threads of the run are idle";
  EXPECT_EQ(serial.time.serial_idle, 3 * 80);
}

// 100 ns asleep in the region are not the serial part's, which computes for 300 of 400 ns.
TEST(OpenMPUse, HasASerialPartWithoutWhatIsBlockedOrWaitsForAProcessor) {
  const OpenMPUse use = use_of(timed_trace(1,
                                           "rank 0\n @0 +0 barrier\n"
                                           " @100 +100 pause blocked\n"
                                           " @400 +600 parallel busy=600,600 waiting=0,0\n"
                                           " @500 +100 pause blocked\n"
                                           " @950 +50 pause no_processor\n"
                                           " @1000 +0 barrier\n"),
                               {0, 1000});
  EXPECT_EQ(use.ranks[0].parallel_ns, 600);
  EXPECT_EQ(use.ranks[0].serial_ns, 300);
  EXPECT_EQ(use.time.serial_idle, 300);
}

// Half of the region lies in the interval.
TEST(OpenMPUse, CountsThePartInsideOfTheInterval) {
  const OpenMPUse use =
      use_of(timed_trace(1,
                         "rank 0\n @0 +0 barrier\n @0 +800 parallel busy=800,400 waiting=0,400\n"
                         " @800 +0 barrier\n"),
             {400, 800});
  EXPECT_EQ(use.time.work, 400 + 200);
  EXPECT_EQ(use.time.imbalance, 200);
}

// Different threads are late at two barriers inside: no thread works longer than the other.
TEST(OpenMPUse, IsSynchronisationWhereThreadsAreLateInTurn) {
  const OpenMPUse use =
      use_of(timed_trace(1,
                         "rank 0\n @0 +0 barrier\n @0 +400 parallel busy=300,300 waiting=100,100\n"
                         " @400 +0 barrier\n"),
             {0, 400});
  EXPECT_EQ(use.time.imbalance, 0);
  EXPECT_EQ(use.time.synchronisation, 200);
}

TEST(OpenMPUse, NamesTheLateThreadAndItsRank) {
  const std::string text =
      "rank 0\n @0 +0 barrier\n @0 +100 parallel busy=100,100 waiting=0,0\n @100 +500 barrier\n"
      "rank 1\n @0 +0 barrier\n @0 +600 parallel busy=200,600 waiting=400,0\n @600 +0 barrier\n";
  const OpenMPUse use = use_of(timed_trace(2, text), {0, 600});
  ASSERT_EQ(use.regions.size(), 1u);
  EXPECT_EQ(use.regions[0].instances, 2u);
  EXPECT_EQ(use.regions[0].late_location, std::optional<LocationId>(1));
  EXPECT_EQ(use.regions[0].late_rank, std::optional<std::int32_t>(1));
  EXPECT_DOUBLE_EQ(use.regions[0].late_work, 600.0 / 400) << "on rank 1";
}

Limit limit_of(const std::string& text) {
  const Trace trace = timed_trace(1, text);
  return diagnose(trace, CallPaths(trace)).limits.front().limit;
}

TEST(OpenMPUse, IsWhatLimitsARun) {
  EXPECT_EQ(limit_of("rank 0\n @0 +0 barrier\n"
                     " @0 +900 parallel busy=300,300,300,900 waiting=600,600,600,0\n"
                     " @900 +10 barrier\n"),
            Limit::openmp_imbalance);
  EXPECT_EQ(limit_of("rank 0\n @0 +0 barrier\n"
                     " @600 +300 parallel busy=300,300,300,300 waiting=0,0,0,0\n"
                     " @900 +10 barrier\n"),
            Limit::openmp_serial);
  EXPECT_EQ(limit_of("rank 0\n @0 +0 barrier\n"
                     " @0 +900 parallel instances=90 busy=600,500,500,500 waiting=300,300,300,300\n"
                     " @900 +10 barrier\n"),
            Limit::openmp_synchronisation);
}

// A library's region of 40 of 900 ns does not make the rest the serial part of a threaded program.
TEST(OpenMPUse, OfALibraryIsNoLimit) {
  EXPECT_EQ(limit_of("rank 0\n @0 +0 barrier\n"
                     " @600 +40 parallel busy=40,40,40,40 waiting=0,0,0,0\n"
                     " @900 +10 barrier\n"),
            Limit::computation);
}

}  // namespace
}  // namespace slackline
