#include "analysis/waits/wait_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/waits/wait_summary.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using testing::timed_trace;
using ::testing::UnorderedElementsAre;

/// One state in a line: "rank pattern ns<-rank waited for".
std::vector<std::string> lines_of(const Trace& trace, const WaitOptions& options = {}) {
  std::vector<std::string> lines;
  for (const WaitState& s : wait_states(trace, CallMatching(trace), options).states) {
    lines.push_back(std::to_string(s.rank) + " " + std::string(identifier(s.pattern)) + " " +
                    std::to_string(s.wait_ns) + "<-" + std::to_string(s.cause_rank));
  }
  return lines;
}

TEST(WaitStates, FindALateSender) {
  EXPECT_THAT(lines_of(timed_trace(2,
                                   "rank 0\n @100 +5 send to=1 bytes=8\n"
                                   "rank 1\n @30 +80 recv from=0 bytes=8\n")),
              ElementsAre("1 late_sender 70<-0"));
}

TEST(WaitStates, AreCutToTheirCall) {
  // The clocks say that the message arrived before it was sent.
  const Trace trace = timed_trace(2,
                                  "rank 0\n @100 +5 send to=1 bytes=8\n"
                                  "rank 1\n @30 +10 recv from=0 bytes=8\n");
  EXPECT_THAT(lines_of(trace), ElementsAre("1 late_sender 10<-0"));
  const WaitStates states = wait_states(trace, CallMatching(trace));
  EXPECT_EQ(states.clipped, 1u);
  EXPECT_EQ(states.clipped_ns, 60);
}

// MPI_Bsend copies the message: it lasts as long as that takes, whatever the receiver does.
TEST(WaitStates, FindNoLateReceiverOfABufferedSend) {
  const auto program = [](const std::string& mode, const std::string& request) {
    return timed_trace(2, "rank 0\n @10 +" + std::string(request.empty() ? "90 " : "1 ") + mode +
                              " to=1 bytes=1000" + request +
                              (request.empty() ? "" : "\n @20 +80 wait req=1") +
                              "\nrank 1\n @70 +40 recv from=0 bytes=1000\n");
  };
  EXPECT_THAT(lines_of(program("bsend", "")), IsEmpty());
  EXPECT_THAT(lines_of(program("ibsend", " req=1")), IsEmpty());
  EXPECT_THAT(lines_of(program("ssend", "")), ElementsAre("0 late_receiver 60<-1"));
  EXPECT_THAT(lines_of(program("issend", " req=1")), ElementsAre("0 late_receiver 50<-1"));
}

TEST(WaitStates, ChargeAWaitallForItsLatestMessageOnly) {
  EXPECT_THAT(lines_of(timed_trace(3,
                                   "rank 0\n @50 +5 send to=2 bytes=8\n"
                                   "rank 1\n @90 +5 send to=2 bytes=8\n"
                                   "rank 2\n @1 +1 irecv from=0 bytes=8 req=1\n"
                                   " @3 +1 irecv from=1 bytes=8 req=2\n"
                                   " @10 +100 waitall reqs=1,2\n")),
              ElementsAre("2 late_sender 80<-1"));
}

TEST(WaitStates, FindALateReceiverByOverlapOrByTheEagerThreshold) {
  const Trace trace = timed_trace(2,
                                  "rank 0\n @10 +90 send to=1 bytes=1000\n"
                                  "rank 1\n @70 +40 recv from=0 bytes=1000\n");
  EXPECT_THAT(lines_of(trace), ElementsAre("0 late_receiver 60<-1"));
  EXPECT_THAT(lines_of(trace, {.eager_bytes = 999}), ElementsAre("0 late_receiver 60<-1"));
  EXPECT_THAT(lines_of(trace, {.eager_bytes = 1000}), IsEmpty());
  // The send was over before the receive began: it did not wait.
  EXPECT_THAT(lines_of(timed_trace(2,
                                   "rank 0\n @10 +20 send to=1 bytes=1000\n"
                                   "rank 1\n @70 +40 recv from=0 bytes=1000\n")),
              IsEmpty());
}

// Rank 0's message to rank 1 (1000 bytes) is not taken before 70, rank 2's to rank 0 has long been
// there. Whether rank 0 stayed in MPI_Sendrecv for the one or for copying the other, the times do
// not tell; an eager threshold below 1000 bytes does: 70 - 10 = 60 ns.
TEST(WaitStates, FindALateReceiverOfMpiSendrecvOnlyWhereItsProtocolIsKnown) {
  const Trace trace = timed_trace(3,
                                  "rank 0\n @10 +90 sendrecv to=1 bytes=1000 from=2 rbytes=8\n"
                                  "rank 1\n @70 +40 recv from=0 bytes=1000\n"
                                  "rank 2\n @1 +2 send to=0 bytes=8\n");
  EXPECT_THAT(lines_of(trace), IsEmpty());
  EXPECT_THAT(lines_of(trace, {.eager_bytes = 999}), ElementsAre("0 late_receiver 60<-1"));
  EXPECT_THAT(lines_of(trace, {.eager_bytes = 1000}), IsEmpty());
}

TEST(WaitStates, FindWaitingAndCompletionOfABarrier) {
  // All have entered at 60; the first can leave at 65.
  EXPECT_THAT(lines_of(timed_trace(3,
                                   "rank 0\n @10 +55 barrier\n"
                                   "rank 1\n @60 +8 barrier\n"
                                   "rank 2\n @40 +30 barrier\n")),
              UnorderedElementsAre("0 wait_at_barrier 50<-1", "2 wait_at_barrier 20<-1",
                                   "1 barrier_completion 3<--1", "2 barrier_completion 5<--1"));
}

TEST(WaitStates, LeaveOutRanksThatMoveNothing) {
  EXPECT_THAT(lines_of(timed_trace(3,
                                   "rank 0\n @10 +55 allreduce bytes=8\n"
                                   "rank 1\n @20 +45 allreduce bytes=8\n"
                                   "rank 2\n @60 +5 allreduce bytes=0\n")),
              ElementsAre("0 wait_at_nxn 10<-1"));
}

TEST(WaitStates, OfRootedOperations) {
  EXPECT_THAT(lines_of(timed_trace(3,
                                   "rank 0\n @10 +90 reduce root=0 bytes=8\n"
                                   "rank 1\n @30 +9 reduce root=0 bytes=8\n"
                                   "rank 2\n @70 +9 reduce root=0 bytes=8\n")),
              ElementsAre("0 early_reduce 60<-2"));
  EXPECT_THAT(lines_of(timed_trace(3,
                                   "rank 0\n @50 +20 bcast root=0 bytes=8\n"
                                   "rank 1\n @30 +50 bcast root=0 bytes=8\n"
                                   "rank 2\n @70 +9 bcast root=0 bytes=8\n")),
              ElementsAre("1 late_broadcast 20<-0"));
  EXPECT_THAT(lines_of(timed_trace(3,
                                   "rank 0\n @50 +20 scan bytes=8\n"
                                   "rank 1\n @30 +50 scan bytes=8\n"
                                   "rank 2\n @40 +30 scan bytes=8\n")),
              UnorderedElementsAre("1 early_scan 20<-0", "2 early_scan 10<-0"));
}

TEST(WaitStates, OfTheBeginningAndTheEnd) {
  EXPECT_THAT(lines_of(timed_trace(2,
                                   "rank 0\n @0 +10 init\n @50 +5 finalize\n"
                                   "rank 1\n @0 +14 init\n @20 +35 finalize\n")),
              UnorderedElementsAre("1 init_completion 4<--1", "1 wait_at_finalize 30<-0"));
}

TEST(WaitStates, OfNeighbourhoodCollectivesAreForTheNeighboursWhoseDataComes) {
  // Rank 0 gets data from 1 only, rank 1 from 0 and from 2 that sends it nothing, rank 2 from 1.
  EXPECT_THAT(lines_of(timed_trace(3,
                                   "rank 0\n @10 +60 neighbor_alltoallv out=1:8 in=1:8,null:8\n"
                                   "rank 1\n @40 +40 neighbor_alltoallv out=0:8,2:8 in=0:8,2:0\n"
                                   "rank 2\n @90 +10 neighbor_alltoallv out=1:0 in=1:8\n")),
              ElementsAre("0 wait_at_neighborhood 30<-1"));
  EXPECT_THAT(lines_of(timed_trace(2,
                                   "rank 0\n @10 +1 ineighbor_allgather out=1:8 in=1:8 req=1\n"
                                   " @20 +60 wait req=1\n"
                                   "rank 1\n @70 +1 ineighbor_allgather out=0:8 in=0:8 req=1\n"
                                   " @75 +5 wait req=1\n")),
              ElementsAre("0 nonblocking_collective 50<-1"));
}

TEST(WaitStates, OfANonblockingCollective) {
  EXPECT_THAT(
      lines_of(timed_trace(2,
                           "rank 0\n @10 +1 iallreduce bytes=8 req=1\n @20 +60 wait req=1\n"
                           "rank 1\n @70 +1 iallreduce bytes=8 req=1\n @75 +5 wait req=1\n")),
      ElementsAre("0 nonblocking_collective 50<-1"));
}

TEST(WaitStates, NoticeTheWrongOrder) {
  // Rank 2 waits for rank 0's message of 80, though rank 1's of 20 has been there.
  const Trace trace =
      timed_trace(3,
                  "rank 0\n @80 +5 send to=2 bytes=8\n"
                  "rank 1\n @20 +5 send to=2 bytes=8\n"
                  "rank 2\n @30 +60 recv from=0 bytes=8\n @95 +3 recv from=1 bytes=8\n");
  const WaitStates states = wait_states(trace, CallMatching(trace));
  ASSERT_EQ(states.states.size(), 1u);
  EXPECT_EQ(states.states[0].order, MessageOrder::wrong_different_source);
}

TEST(WaitStates, OrderSendsByTheirRecordsWhereThereAreAny) {
  // By the begins of the calls the order was right; but rank 0 handed its message over at 90.
  const Trace trace =
      timed_trace(3,
                  "rank 0\n @80 +15 send to=2 bytes=8\n"
                  "rank 1\n @85 +5 send to=2 bytes=8\n"
                  "rank 2\n @30 +70 recv from=0 bytes=8\n @105 +3 recv from=1 bytes=8\n");
  const CallMatching matching(trace);
  EXPECT_EQ(wait_states(trace, matching).states[0].order, MessageOrder::right);
  const SendRecords sends{{{10}, {1}, {}}};
  EXPECT_EQ(wait_states(trace, matching, {.sends = &sends}).states[0].order,
            MessageOrder::wrong_different_source);
}

DelayCosts delays_of(const Trace& trace) {
  const CallMatching matching(trace);
  const CallPaths paths(trace);
  return delay_costs(trace, matching, wait_states(trace, matching), CallActivities(trace, paths));
}

TEST(DelayCosts, BlameTheComputationThatTookLonger) {
  const Trace trace = timed_trace(2,
                                  "region 0 solve\n"
                                  "rank 0\n @0 +0 init\n @5 enter solve\n @85 leave solve\n"
                                  " @100 +5 send to=1 bytes=8\n"
                                  "rank 1\n @0 +0 init\n @30 +80 recv from=0 bytes=8\n");
  const DelayCosts d = delays_of(trace);
  // Rank 0 has 20 outside of regions and 80 in solve, rank 1 30 outside: 80 more in solve.
  ASSERT_EQ(d.costs.size(), 1u);
  EXPECT_EQ(d.costs[0].of.rank, 0);
  EXPECT_EQ(CallPaths(trace).name(d.costs[0].of.path), "solve");
  EXPECT_DOUBLE_EQ(d.costs[0].short_term[0].value(), 70);
  EXPECT_NEAR(d.unexplained_ns.value(), 0, 1e-9);
}

TEST(DelayCosts, CompareSinceOneRankWaitedForTheOther) {
  // Nobody waits for the message that is taken at 55, so the two are compared since MPI_Init: rank
  // 0 has 50 in first and 50 in second, rank 1 has 40 and 15 when it begins to wait.
  const Trace trace = timed_trace(2,
                                  "region 0 first\nregion 1 second\n"
                                  "rank 0\n @0 +0 init\n @0 enter first\n @50 leave first\n"
                                  " @50 +0 send to=1 bytes=8\n"
                                  " @50 enter second\n @100 leave second\n"
                                  " @100 +0 send to=1 bytes=8\n"
                                  "rank 1\n @0 +0 init\n @0 enter first\n @40 leave first\n"
                                  " @40 enter second\n @55 leave second\n"
                                  " @55 +0 recv from=0 bytes=8\n @55 +45 recv from=0 bytes=8\n");
  const DelayCosts d = delays_of(trace);
  const CallPaths paths(trace);
  ASSERT_EQ(d.costs.size(), 2u);
  EXPECT_EQ(paths.name(d.costs[0].of.path), "second");
  EXPECT_DOUBLE_EQ(d.costs[0].short_term[0].value(), 35);
  EXPECT_EQ(paths.name(d.costs[1].of.path), "first");
  EXPECT_DOUBLE_EQ(d.costs[1].short_term[0].value(), 10);
  EXPECT_DOUBLE_EQ(d.unexplained_ns.value(), 0);
}

TEST(DelayCosts, HandWaitingOnToItsCause) {
  // Rank 0 is late by 90; rank 1 waits for it and so makes rank 2 wait.
  const DelayCosts d = delays_of(timed_trace(3,
                                             "rank 0\n @100 +0 send to=1 bytes=8\n"
                                             "rank 1\n @10 +90 recv from=0 bytes=8\n"
                                             " @100 +0 send to=2 bytes=8\n"
                                             "rank 2\n @10 +90 recv from=1 bytes=8\n"));
  ASSERT_EQ(d.costs.size(), 1u);
  EXPECT_EQ(d.costs[0].of.rank, 0);
  EXPECT_DOUBLE_EQ(d.costs[0].short_term[0].value(), 90);
  EXPECT_DOUBLE_EQ(d.costs[0].long_term[0].value(), 90);
  EXPECT_EQ(d.waiting_ns, 180);
  EXPECT_DOUBLE_EQ(d.origins[0].propagating_ns, 90);
  EXPECT_DOUBLE_EQ(d.origins[1].indirect_ns, 90);
}

TEST(DelayCosts, CountWaitingThatDelaysTwoOthersOnce) {
  // Rank 1 waits for rank 0 for 90, and ranks 2 and 3 wait for rank 1 for that reason.
  const DelayCosts d = delays_of(timed_trace(4,
                                             "rank 0\n @100 +0 send to=1 bytes=8\n"
                                             "rank 1\n @10 +90 recv from=0 bytes=8\n"
                                             " @100 +0 send to=2 bytes=8\n"
                                             " @100 +0 send to=3 bytes=8\n"
                                             "rank 2\n @10 +90 recv from=1 bytes=8\n"
                                             "rank 3\n @55 +45 recv from=1 bytes=8\n"));
  EXPECT_DOUBLE_EQ(d.origins[0].propagating_ns, 90);
  EXPECT_EQ(d.waiting_ns, 90 + 90 + 45);
}

TEST(WaitSummary, AddsUp) {
  const Trace trace = timed_trace(3,
                                  "rank 0\n @10 +55 barrier\n @70 +20 barrier\n"
                                  "rank 1\n @60 +8 barrier\n @80 +10 barrier\n"
                                  "rank 2\n @40 +30 barrier\n @75 +15 barrier\n");
  const CallPaths paths(trace);
  const WaitSummary s = summarize_waits(trace, CallMatching(trace), paths, {}, std::nullopt);
  EXPECT_EQ(s.total_ns, 50 + 20 + 10 + 5);
  EXPECT_THAT(s.by_rank, ElementsAre(60, 0, 25));
  ASSERT_GE(s.patterns.size(), 1u);
  EXPECT_EQ(s.patterns[0].count, 4u);
  EXPECT_EQ(s.patterns[0].worst.wait_ns, 50);
  EXPECT_DOUBLE_EQ(s.patterns[0].median_ns, 15);
  EXPECT_DOUBLE_EQ(s.patterns[0].lower_quartile_ns, 8.75);
  EXPECT_DOUBLE_EQ(s.patterns[0].upper_quartile_ns, 27.5);
  EXPECT_DOUBLE_EQ(s.patterns[0].variance, 1218.75 / 3);  // around 21.25
  // Leaving after the others is no part of the wait time.
  std::int64_t shared_out = 0;
  for (const WaitPlace& p : s.places) {
    shared_out += p.effective_ns;
    EXPECT_EQ(p.effective_ns > 0, !is_at_end(p.pattern));
  }
  EXPECT_EQ(shared_out, s.total_ns);
}

TEST(WaitSums, RoundTheLengthsOfVeryManyWaits) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
  const auto lengths = [](std::uint64_t count, std::int64_t ns) {
    WaitSums sums;
    sums.lengths = {{WaitPattern::barrier, ns, count}, {WaitPattern::barrier, 4095, 1}};
    return sums;
  };
  WaitSums few = lengths(kMost - 1, 1'234'567);
  few.add_up();
  EXPECT_EQ(few.lengths.back().ns, 1'234'567);
  WaitSums many = lengths(kMost, 1'234'567);
  many.add_up();
  EXPECT_EQ(many.lengths.front().ns, 4095) << "of less digits";
  const std::int64_t rounded = many.lengths.back().ns;
  EXPECT_NE(rounded, 1'234'567);
  EXPECT_NEAR(static_cast<double>(rounded), 1'234'567, 2e-4 * 1'234'567);
  // However often they are put together.
  append_tables(few.tables(), many.tables());
  few.add_up();
  ASSERT_EQ(few.lengths.size(), 2u);
  EXPECT_EQ(few.lengths.back().ns, rounded);
  EXPECT_EQ(few.lengths.back().count, 2 * kMost - 1);
}

TEST(WaitSummary, GivesNumbersByRankForSomeOfVeryManyPlaces) {
  // A region of its own for every rank: as many places as ranks but for one, the last, in each of
  // which one rank waits.
  constexpr std::int32_t kRanks = 2'100;
  std::string text;
  for (int r = 0; r < kRanks; ++r) {
    const std::string name = "work_of_" + std::to_string(r);
    text += "rank " + std::to_string(r) + "\n enter " + name + "\n @" + std::to_string(10 + r) +
            " +" + std::to_string(kRanks + 10 - r) + " barrier\n leave " + name + "\n";
  }
  const Trace trace = timed_trace(kRanks, text);
  const CallPaths paths(trace);
  const WaitSummary s = summarize_waits(trace, CallMatching(trace), paths, {}, std::nullopt);
  ASSERT_EQ(s.places.size(), kRanks - 1u);
  EXPECT_EQ(s.places[0].ranks.size(), 1u);
  EXPECT_EQ(s.places[0].ranks[0].rank, 0);
  EXPECT_EQ(s.places[0].ranks[0].ns, kRanks - 1);
  // 4,194,304 numbers are 1,997 places of 2,100 ranks.
  const Json result = describe(s, trace, paths).result;
  const Json& places = result["places"];
  ASSERT_EQ(places.size(), kRanks - 1u);
  EXPECT_EQ(places[1'996]["by_rank_ns"].size(), 2'100u);
  EXPECT_EQ(places[1'996]["by_rank_ns"][1'996], kRanks - 1 - 1'996);
  EXPECT_EQ(places[1'997]["by_rank_ns"].size(), 0u);
  EXPECT_THAT(s.findings.entries(),
              Contains(Field(&Findings::Entry::name, "ranks_of_places_left_out")));
}

/// A number of waits, each longer than the one before by `step`, from two parts of a run.
PatternSummary very_many_waits(std::int64_t least_ns, std::int64_t step) {
  constexpr std::int64_t kWaits = (1 << 20) + 1;
  WaitSums sums;
  sums.explained.push_back({});
  for (const std::int64_t begin : {std::int64_t{0}, kWaits / 2}) {
    const std::int64_t end = begin == 0 ? kWaits / 2 : kWaits;
    PatternSum part{.count = static_cast<std::uint64_t>(end - begin),
                    .least_ns = least_ns + begin * step};
    part.worst.wait_ns = least_ns + (end - 1) * step;
    sums.patterns.push_back(part);
    for (std::int64_t i = begin; i < end; ++i) {
      sums.lengths.push_back({part.pattern, least_ns + i * step, 1});
    }
  }
  sums.add_up();
  return summary_of(sums, {}, {}, {}).patterns.at(0);
}

TEST(WaitSummary, QuartilesOfVeryManyWaits) {
  // Just above a power of two, roundings to binary digits are largest.
  constexpr std::int64_t kLeast = std::int64_t{1} << 30;
  const PatternSummary equal = very_many_waits(kLeast, 0);
  EXPECT_EQ(equal.lower_quartile_ns, kLeast);
  EXPECT_EQ(equal.upper_quartile_ns, kLeast);
  const PatternSummary spread = very_many_waits(kLeast, 1);
  constexpr double kExact = 2e-4;
  EXPECT_NEAR(spread.lower_quartile_ns / (kLeast + (1 << 18)), 1, kExact);
  EXPECT_NEAR(spread.median_ns / (kLeast + (1 << 19)), 1, kExact);
  EXPECT_NEAR(spread.upper_quartile_ns / (kLeast + 3 * (1 << 18)), 1, kExact);
  const PatternSummary above = very_many_waits(kLeast - (1 << 19), 1);  // the median is 2^30
  EXPECT_NEAR(above.median_ns / kLeast, 1, kExact);
}

TEST(WaitsInCode, NameTheLineThatWaitsAndTheLineThatWasLate) {
  // Rank 0 computes 90 longer before its send in relax(); rank 1 waits in halo(), and rank 2 for
  // it.
  const Trace trace =
      timed_trace(3,
                  "frame 1 0 main file=heat.c line=10\nframe 2 1 relax file=heat.c line=21\n"
                  "frame 3 1 halo file=heat.c line=35\n"
                  "rank 0\n @0 +0 init frame=2\n @100 +0 send to=1 bytes=8 frame=2\n"
                  "rank 1\n @0 +0 init frame=1\n @10 +90 recv from=0 bytes=8 frame=3\n"
                  " @100 +0 send to=2 bytes=8 frame=3\n"
                  "rank 2\n @0 +0 init frame=1\n @10 +90 recv from=1 bytes=8 frame=3\n");
  const CallMatching matching(trace);
  const CallPaths paths = CallPaths::of_functions(trace);
  const WaitSummary summary = summarize_waits(trace, matching, paths, {}, std::nullopt);
  ASSERT_EQ(summary.in_code.size(), 2u);
  for (const WaitInCode& w : summary.in_code) {
    EXPECT_EQ(w.frame, 3u);
    EXPECT_EQ(w.sum_ns, 90);
    EXPECT_EQ(w.cause.rank, 0);
    EXPECT_EQ(w.cause.frame, 2u);
    EXPECT_GT(w.cause.share, 0.85);
  }
}

}  // namespace
}  // namespace slackline
