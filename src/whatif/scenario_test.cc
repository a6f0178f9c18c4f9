#include "whatif/scenario.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "calls/call_matching.h"
#include "formats/testing/text_trace.h"
#include "trace/testing/plausible_trace.h"
#include "whatif/program_writer.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using testing::timed_trace;
using testing::untimed_trace;

EditedProgram edited(const Trace& trace, const std::vector<std::string>& edits) {
  Scenario scenario;
  for (const std::string& text : edits) scenario.edits.push_back(parse_edit(text));
  return apply(scenario, {trace, {}});
}

/// Computation before each call of a rank, and after the last one.
std::vector<std::int64_t> gaps(const Trace& trace, std::int32_t rank) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i <= trace.calls(rank).size(); ++i) {
    all.push_back(trace.calls(rank).useful_ns(i));
  }
  return all;
}

std::vector<std::string> operations(const Trace& trace, std::int32_t rank) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < trace.calls(rank).size(); ++i) {
    names.emplace_back(identifier(trace.calls(rank).operation(i)));
  }
  return names;
}

/// Rank 1 computes 300 + 100 ns in two visits to foo where rank 0 computes 100 + 100.
Trace two_visits() {
  return timed_trace(2, R"(
rank 0
  @0 +10 init
  @20 enter foo
  @120 leave foo
  @130 +200 barrier
  @340 enter foo
  @440 leave foo
  @450 +10 barrier
rank 1
  @0 +10 init
  @20 enter foo
  @320 leave foo
  @320 +10 barrier
  @340 enter foo
  @440 leave foo
  @450 +10 barrier
)");
}

TEST(Scenario, ScalesARegionAndNothingElse) {
  const EditedProgram program = edited(two_visits(), {"scale region=foo factor=0.5 ranks=1"});
  EXPECT_FALSE(program.trace.timed());
  // 10 ns between MPI_Init and the region stay, of 300 half.
  EXPECT_THAT(gaps(program.trace, 1), ElementsAre(0, 10 + 150, 10 + 50 + 10, 0));
  EXPECT_THAT(gaps(program.trace, 0), ElementsAre(0, 10 + 100 + 10, 10 + 100 + 10, 0));
  EXPECT_EQ(program.log[0].changed, 2u);
  EXPECT_EQ(program.log[0].computation_before_ns - program.log[0].computation_after_ns, 200);
}

// A rank that waits for a device takes as long as one that computes.
TEST(Scenario, ScalesTimeBlockedAndKeepsIt) {
  const Trace trace = timed_trace(1, R"(
rank 0
  @0 +100 init
  @150 enter foo
  @200 +60 pause blocked
  @260 +40 pause no_processor
  @350 leave foo
  @400 +10 barrier
)");
  const EditedProgram half = edited(trace, {"scale region=foo factor=0.5"});
  const RankCalls& calls = half.trace.calls(0);
  EXPECT_EQ(calls.gap_ns(1), 50 + 25 + 30 + 40 + 25 + 50);
  EXPECT_EQ(calls.paused_ns(1, PauseKind::blocked), 30);
  EXPECT_EQ(calls.paused_ns(1, PauseKind::no_processor), 40);
  EXPECT_EQ(half.log[0].computation_before_ns - half.log[0].computation_after_ns, 80);
}

TEST(Scenario, BalancesOverTheRunByRank) {
  const EditedProgram program = edited(two_visits(), {"balance region=foo"});
  // Sums 200 and 400, mean 300: factors 1.5 and 0.75.
  EXPECT_THAT(gaps(program.trace, 0), ElementsAre(0, 10 + 150 + 10, 10 + 150 + 10, 0));
  EXPECT_THAT(gaps(program.trace, 1), ElementsAre(0, 10 + 225, 10 + 75 + 10, 0));
  EXPECT_EQ(program.log[0].computation_before_ns, program.log[0].computation_after_ns);
}

TEST(Scenario, BalancesVisitByVisitAndPartOfTheWay) {
  const Trace trace = two_visits();
  EXPECT_THAT(gaps(edited(trace, {"balance region=foo over=visit"}).trace, 1),
              ElementsAre(0, 10 + 200, 10 + 100 + 10, 0));
  EXPECT_THAT(gaps(edited(trace, {"balance region=foo over=visit to=min"}).trace, 1),
              ElementsAre(0, 10 + 100, 10 + 100 + 10, 0));
  EXPECT_THAT(gaps(edited(trace, {"balance region=foo over=visit by=50%"}).trace, 1),
              ElementsAre(0, 10 + 250, 10 + 100 + 10, 0));
}

// Rank 2 computes nothing in its visit: the others share 400 ns.
TEST(Scenario, BalancesOnlyRanksThatComputeInTheVisit) {
  const Trace trace = timed_trace(3, R"(
rank 0
  @0 +10 init
  @10 enter foo
  @110 leave foo
  @110 +210 barrier
rank 1
  @0 +10 init
  @10 enter foo
  @310 leave foo
  @310 +10 barrier
rank 2
  @0 +10 init
  @10 enter foo
  @10 leave foo
  @10 +310 barrier
)");
  const auto of_ranks = [&](const char* edit) {
    const EditedProgram program = edited(trace, {edit});
    std::vector<std::int64_t> all;
    for (std::int32_t rank = 0; rank < 3; ++rank) all.push_back(gaps(program.trace, rank)[1]);
    return all;
  };
  EXPECT_THAT(of_ranks("balance region=foo over=visit"), ElementsAre(200, 200, 0));
  EXPECT_THAT(of_ranks("balance region=foo"), ElementsAre(200, 200, 0));
  EXPECT_THAT(of_ranks("balance region=foo over=visit to=min"), ElementsAre(100, 100, 0));
}

TEST(Scenario, BalancesBetweenTheSameTwoCollectives) {
  // Between MPI_Init and the first barrier 120 and 310 ns, then 120 on both: each rank gets the
  // mean.
  const EditedProgram program = edited(two_visits(), {"balance over=collective"});
  EXPECT_THAT(gaps(program.trace, 0), ElementsAre(0, 215, 120, 0));
  EXPECT_THAT(gaps(program.trace, 1), ElementsAre(0, 215, 120, 0));
}

TEST(Scenario, LimitsVisitsToTheRanksMedian) {
  const Trace trace = timed_trace(1, R"(
rank 0
  @0 +10 init
  @10 enter foo
  @20 leave foo
  @20 +0 barrier
  @20 enter foo
  @32 leave foo
  @32 +0 barrier
  @32 enter foo
  @82 leave foo
  @90 +0 barrier
)");
  // 10, 12 and 50 ns: the last one becomes the median; what is outside of visits stays.
  const EditedProgram program = edited(trace, {"limit region=foo factor=2"});
  EXPECT_THAT(gaps(program.trace, 0), ElementsAre(0, 10, 12, 12 + 8, 0));
  EXPECT_EQ(program.log[0].changed, 1u);
}

TEST(Scenario, SetsAndShiftsVisits) {
  const Trace trace = two_visits();
  EXPECT_THAT(gaps(edited(trace, {"set function=foo time=40ns"}).trace, 1),
              ElementsAre(0, 10 + 40, 10 + 40 + 10, 0));
  EXPECT_THAT(gaps(edited(trace, {"shift region=foo time=7ns rank=0"}).trace, 0),
              ElementsAre(0, 10 + 107 + 10, 10 + 107 + 10, 0));
  EXPECT_THAT(gaps(edited(trace, {"shift region=foo time=-300ns"}).trace, 1),
              ElementsAre(0, 10 + 0, 10 + 0 + 10, 0));
  EXPECT_THROW(edited(trace, {"shift time=7ns"}), Error);
}

// What takes no time has no parts whose proportions could be kept.
TEST(Scenario, SetsVisitsThatTakeNoTime) {
  const EditedProgram program =
      edited(two_visits(), {"scale region=foo factor=0", "set region=foo time=40ns rank=1"});
  EXPECT_THAT(gaps(program.trace, 0), ElementsAre(0, 10 + 10, 10 + 10, 0));
  EXPECT_THAT(gaps(program.trace, 1), ElementsAre(0, 10 + 40, 10 + 40 + 10, 0));
  EXPECT_EQ(program.log[1].changed, 2u);
  const EditedProgram all = edited(two_visits(), {"scale factor=0 rank=1", "set time=80ns"});
  EXPECT_THAT(gaps(all.trace, 0), ElementsAre(0, 40, 40, 0));
  EXPECT_THAT(gaps(all.trace, 1), ElementsAre(0, 0, 80, 0));
  EXPECT_EQ(edited(all.trace, {"scale factor=0", "set time=0s"}).log[1].changed, 0u);
}

TEST(Scenario, AddsToVisitsThatBeginInTheInterval) {
  // The visits begin 10 and 330 ns after the program, which starts at 10 ns.
  const EditedProgram later = edited(two_visits(), {"shift region=foo time=7ns after=300ns"});
  EXPECT_THAT(gaps(later.trace, 1), ElementsAre(0, 10 + 300, 10 + 107 + 10, 0));
  const EditedProgram set = edited(
      two_visits(), {"scale region=foo factor=0 rank=1", "set region=foo time=9ns before=20ns"});
  EXPECT_THAT(gaps(set.trace, 1), ElementsAre(0, 10 + 9, 10 + 10, 0));
}

TEST(Scenario, RefusesProgramsThatAreTooLong) {
  const auto too_long = ThrowsMessage<Error>(HasSubstr("for more than 146 years"));
  const Trace trace = edited(two_visits(), {"scale factor=1e9"}).trace;
  for (const char* edit : {"scale factor=1e18", "scale factor=1e300", "noise amplitude=1e300",
                           "delay time=1000s every=1ns"}) {
    EXPECT_THAT([&] { edited(trace, {edit}); }, too_long) << edit;
  }
  for (const char* edit : {"scale factor=-1", "scale factor=nan", "scale factor=inf",
                           "noise amplitude=-0.1", "split-messages parts=1e18"}) {
    EXPECT_THROW(edited(two_visits(), {edit}), Error) << edit;
  }
}

TEST(Scenario, SelectsAnInterval) {
  // The program starts at 10 ns, so 100 to 200 ns of it are 110 to 210 ns of the trace.
  const EditedProgram program =
      edited(two_visits(), {"scale factor=0 after=100ns before=200ns rank=1"});
  EXPECT_THAT(gaps(program.trace, 1), ElementsAre(0, 310 - 100, 10 + 100 + 10, 0));
}

TEST(Scenario, RemovesMessagesWithAllThatBelongsToThem) {
  const Trace trace = untimed_trace(2, R"(
rank 0
  init
  isend to=1 tag=1 bytes=0 req=1
  isend to=1 tag=1 bytes=8 req=2
  waitall reqs=1,2
  sendrecv to=1 tag=2 bytes=0 from=1 rtag=2 rbytes=64
  isend to=1 tag=3 bytes=0 req=3
  wait req=3
rank 1
  init
  irecv from=0 tag=1 bytes=0 req=1
  irecv from=0 tag=1 bytes=8 req=2
  waitall reqs=1,2
  sendrecv to=0 tag=2 bytes=64 from=0 rtag=2 rbytes=0
  probe from=0 tag=3 bytes=0
  recv from=0 tag=3 bytes=0
)");
  const EditedProgram program = edited(trace, {"remove-messages max-bytes=0"});
  EXPECT_EQ(program.log[0].changed, 3u);
  EXPECT_THAT(operations(program.trace, 0), ElementsAre("init", "isend", "waitall", "recv"));
  EXPECT_THAT(operations(program.trace, 1), ElementsAre("init", "irecv", "waitall", "send"));
  EXPECT_THAT(program.trace.calls(0).args(2), ElementsAre(2));
  EXPECT_EQ(program.trace.calls(0).bytes(3), 64u);
  EXPECT_EQ(program.trace.calls(1).peer(3), 0);
}

TEST(Scenario, RemovesPersistentMessagesByRequest) {
  const Trace trace = untimed_trace(2, R"(
rank 0
  send_init to=1 tag=1 bytes=0 req=1
  send_init to=1 tag=1 bytes=8 req=2
  startall starts=3:send_init:1:1:0,4:send_init:1:1:8
  waitall reqs=3,4
rank 1
  recv_init from=0 tag=1 bytes=0 req=1
  recv_init from=0 tag=1 bytes=8 req=2
  startall starts=3:recv_init:0:1:0,4:recv_init:0:1:8
  waitall reqs=3,4
)");
  const EditedProgram program = edited(trace, {"remove-messages max-bytes=4"});
  EXPECT_EQ(program.log[0].changed, 1u);
  for (const std::int32_t rank : {0, 1}) {
    EXPECT_EQ(program.trace.calls(rank).args(2).size(), 6u);
    EXPECT_EQ(program.trace.calls(rank).args(2)[0], 4);
    EXPECT_THAT(program.trace.calls(rank).args(3), ElementsAre(4));
  }
}

// Numbers of requests that are used again once they are completed, as by hand or by a reader of
// addresses: what is removed is the request, not all that share its number.
TEST(Scenario, TakesRequestsOfOneNumberApart) {
  const Trace trace = untimed_trace(2, R"(
rank 0
  isend to=1 tag=1 bytes=0 req=1
  wait req=1
  isend to=1 tag=2 bytes=8 req=1
  test failed req=1 polls=3
  compute 50
  wait req=1
  iallreduce bytes=8 elem=8 req=1
  waitall reqs=1
  start starts=1:send_init:1:3:0
  wait req=1
  start starts=1:send_init:1:3:8
  waitall reqs=1
rank 1
  irecv from=0 tag=1 bytes=0 req=7
  wait req=7
  irecv from=0 tag=2 bytes=8 req=7
  wait req=7
  iallreduce bytes=8 elem=8 req=7
  wait req=7
  start starts=7:recv_init:0:3:0
  wait req=7
  start starts=7:recv_init:0:3:8
  waitall reqs=7
)");
  const EditedProgram smaller = edited(trace, {"remove-messages max-bytes=0"});
  EXPECT_EQ(smaller.log[0].changed, 2u);
  EXPECT_TRUE(same_content(smaller.trace, untimed_copy(untimed_trace(2, R"(
rank 0
  isend to=1 tag=2 bytes=8 req=2
  test failed req=2 polls=3
  compute 50
  wait req=2
  iallreduce bytes=8 elem=8 req=3
  waitall reqs=3
  start starts=5:send_init:1:3:8
  waitall reqs=5
rank 1
  irecv from=0 tag=2 bytes=8 req=2
  wait req=2
  iallreduce bytes=8 elem=8 req=3
  wait req=3
  start starts=5:recv_init:0:3:8
  waitall reqs=5
)"))));
  const EditedProgram without = edited(trace, {"remove operation=allreduce"});
  EXPECT_THAT(operations(without.trace, 1),
              ElementsAre("irecv", "wait", "irecv", "wait", "start", "wait", "start", "waitall"));
  const EditedProgram merged = edited(trace, {"merge-messages tag=1"});
  EXPECT_EQ(merged.log[0].changed, 0u);
  EXPECT_EQ(merged.trace.call_count(), trace.call_count());
}

// New requests get numbers above all others, also above those that are only completed.
TEST(Scenario, GivesNewRequestsNumbersOfTheirOwn) {
  const Trace trace = untimed_trace(2, R"(
rank 0
  isend to=1 tag=1 bytes=4 req=1
  waitall reqs=2
  wait req=1
rank 1
  recv from=0 tag=1 bytes=4
)");
  const EditedProgram program = edited(trace, {"split-messages parts=2"});
  EXPECT_EQ(program.trace.calls(0).request(1), 3u);
  EXPECT_THAT(program.trace.calls(0).args(2), ElementsAre(2));
  EXPECT_THAT(program.trace.calls(0).args(3), ElementsAre(1, 3));
}

TEST(Scenario, ResizesBothSidesAndChargesTheCost) {
  const Trace trace = untimed_trace(2, R"(
rank 0
  send to=1 tag=1 bytes=1000
  send to=1 tag=2 bytes=1000
rank 1
  recv from=0 tag=1 bytes=1000
  recv from=0 tag=2 bytes=1000
)");
  const EditedProgram program = edited(trace, {"resize-messages tag=1 factor=0.25 cost=2ns/B"});
  EXPECT_EQ(program.trace.calls(0).bytes(0), 250u);
  EXPECT_EQ(program.trace.calls(1).bytes(0), 250u);
  EXPECT_EQ(program.trace.calls(0).bytes(1), 1000u);
  EXPECT_THAT(gaps(program.trace, 0), ElementsAre(2000, 0, 0));
  EXPECT_THAT(gaps(program.trace, 1), ElementsAre(0, 2000, 0));
}

TEST(Scenario, RemovesCollectivesOfAllMembers) {
  const Trace trace = untimed_trace(2, R"(
rank 0
  barrier
  ibarrier req=1
  allreduce bytes=8 elem=8
  wait req=1
rank 1
  barrier
  ibarrier req=1
  allreduce bytes=8 elem=8
  wait req=1
)");
  const EditedProgram program = edited(trace, {"remove operation=barrier"});
  EXPECT_EQ(program.log[0].changed, 2u);
  EXPECT_THAT(operations(program.trace, 1), ElementsAre("allreduce"));
  EXPECT_THROW(edited(trace, {"remove operation=send"}), Error);
}

TEST(Scenario, SubstitutesWaysToSend) {
  const Trace trace = untimed_trace(2, R"(
rank 0
  send to=1 tag=1 bytes=8
  sendrecv to=1 tag=2 bytes=8 from=1 rtag=2 rbytes=16
rank 1
  recv from=0 tag=1 bytes=8
  sendrecv to=0 tag=2 bytes=16 from=0 rtag=2 rbytes=8
)");
  const EditedProgram program = edited(trace, {"substitute operation=send with=ssend",
                                               "substitute operation=sendrecv with=isend-irecv"});
  EXPECT_THAT(operations(program.trace, 0), ElementsAre("ssend", "irecv", "isend", "waitall"));
  EXPECT_EQ(program.trace.calls(0).bytes(1), 16u);
  EXPECT_EQ(program.trace.calls(0).bytes(2), 8u);
  EXPECT_EQ(program.log[1].changed, 2u);
  EXPECT_THROW(edited(trace, {"substitute operation=send with=issend"}), Error);
  EXPECT_THROW(edited(trace, {"substitute operation=sendrecv with=isend"}), Error);
  EXPECT_THROW(edited(trace, {"substitute operation=send with=ssend wait-before=call"}), Error);
}

/// The edits give the program that is written in `expected`.
void expect_edited(const Trace& trace, const std::vector<std::string>& edits,
                   std::string_view expected) {
  const EditedProgram program = edited(trace, edits);
  EXPECT_TRUE(same_content(program.trace, untimed_copy(untimed_trace(trace.ranks(), expected))))
      << to_text(program.trace);
}

TEST(Scenario, SendsWithoutWaitingForTheReceiver) {
  const Trace trace = untimed_trace(2, R"(
rank 0
  init
  send to=1 tag=1 bytes=8
  compute 10
  isend to=1 tag=2 bytes=9 req=5
  send to=1 tag=3 bytes=10
  compute 20
  recv from=1 tag=4 bytes=1
  wait req=5
  finalize
rank 1
  init
  recv from=0 tag=1 bytes=8
  recv from=0 tag=2 bytes=9
  recv from=0 tag=3 bytes=10
  send to=0 tag=4 bytes=1
)");
  expect_edited(trace, {"substitute operation=send with=isend ranks=0"}, R"(
rank 0
  init
  isend to=1 tag=1 bytes=8 req=6
  compute 10
  wait req=6
  isend to=1 tag=2 bytes=9 req=5
  isend to=1 tag=3 bytes=10 req=7
  compute 20
  wait req=7
  recv from=1 tag=4 bytes=1
  wait req=5
  finalize
rank 1
  init
  recv from=0 tag=1 bytes=8
  recv from=0 tag=2 bytes=9
  recv from=0 tag=3 bytes=10
  send to=0 tag=4 bytes=1
)");
  // Rank 1's send is its last call.
  expect_edited(trace, {"substitute operation=send with=isend wait-before=wait"}, R"(
rank 0
  init
  isend to=1 tag=1 bytes=8 req=6
  compute 10
  isend to=1 tag=2 bytes=9 req=5
  isend to=1 tag=3 bytes=10 req=7
  compute 20
  recv from=1 tag=4 bytes=1
  waitall reqs=6,7
  wait req=5
  finalize
rank 1
  init
  recv from=0 tag=1 bytes=8
  recv from=0 tag=2 bytes=9
  recv from=0 tag=3 bytes=10
  isend to=0 tag=4 bytes=1 req=1
  wait req=1
)");
}

TEST(Scenario, ReducesBesideTheProgram) {
  const Trace trace = untimed_trace(2, R"(
rank 0
  init
  allreduce bytes=8 elem=8
  enter check
  compute 10
  leave check
  barrier
  enter use
  compute 20
  leave use
  allreduce bytes=8 elem=8
  finalize
rank 1
  init
  allreduce bytes=8 elem=8
  compute 30
  barrier
  enter use
  leave use
  allreduce bytes=8 elem=8
  finalize
)");
  expect_edited(trace, {"substitute operation=allreduce with=iallreduce wait-in=use"}, R"(
rank 0
  init
  iallreduce bytes=8 elem=8 req=1
  enter check
  compute 10
  leave check
  barrier
  wait req=1
  enter use
  compute 20
  leave use
  iallreduce bytes=8 elem=8 req=2
  wait req=2
  finalize
rank 1
  init
  iallreduce bytes=8 elem=8 req=1
  compute 30
  barrier
  wait req=1
  enter use
  leave use
  iallreduce bytes=8 elem=8 req=2
  wait req=2
  finalize
)");
  EXPECT_THAT(
      operations(edited(trace, {"substitute operation=allreduce with=iallreduce"}).trace, 1),
      ElementsAre("init", "iallreduce", "wait", "barrier", "iallreduce", "wait", "finalize"));
  EXPECT_THROW(edited(trace, {"substitute operation=allreduce with=ibarrier"}), Error);
  EXPECT_THROW(edited(trace, {"substitute operation=allreduce with=iallreduce wait-in=nowhere"}),
               Error);
  // On one rank only it would be another collective than the others'.
  EXPECT_THROW(edited(trace, {"substitute operation=allreduce with=iallreduce ranks=0"}), Error);
}

TEST(Scenario, ExchangesWithNeighboursOnly) {
  const Trace trace = untimed_trace(3, R"(
comm 2 members=2,0
rank 0
  alltoallv send=0,5,0 recv=0,0,7 bytes=5
  alltoallv comm=2 send=4,0 recv=3,0 bytes=4
  alltoallv bytes=0
rank 1
  alltoallv send=0,0,6 recv=5,0,0 bytes=6
  alltoallv bytes=0
rank 2
  alltoallv send=7,0,0 recv=0,6,0 bytes=7
  alltoallv comm=2 send=0,3 recv=0,4 bytes=3
  alltoallv bytes=0
)");
  const EditedProgram program =
      edited(trace, {"substitute operation=alltoallv with=neighbor_alltoallv"});
  EXPECT_EQ(program.log[0].changed, 5u);
  EXPECT_EQ(program.log[0].selected, 8u);  // of the last ones no bytes are known
  // On communicator 2, rank 2 is the first member and rank 0 the second one.
  expect_edited(trace, {"substitute operation=alltoallv with=neighbor_alltoallv"}, R"(
comm 2 members=2,0
rank 0
  neighbor_alltoallv out=1:5 in=2:7 bytes=5
  neighbor_alltoallv comm=2 out=2:4 in=2:3 bytes=4
  alltoallv bytes=0
rank 1
  neighbor_alltoallv out=2:6 in=0:5 bytes=6
  alltoallv bytes=0
rank 2
  neighbor_alltoallv out=0:7 in=1:6 bytes=7
  neighbor_alltoallv comm=2 out=0:3 in=0:4 bytes=3
  alltoallv bytes=0
)");
}

/// A set-up, `steps` steps of a halo exchange and a reduction, of which those in `outputs` end with
/// an output, and an end. Requests are numbered from 1 on, or 7 and 8 in turn.
std::string stepping_program(int steps, const std::set<int>& outputs = {}, bool turns = false) {
  std::string text;
  for (int rank = 0; rank < 2; ++rank) {
    text += fmt::format("rank {}\n init\n compute 1000\n bcast root=0 bytes=8 elem=1\n", rank);
    text += " enter loop\n";
    for (int step = 0; step < steps; ++step) {
      const int first = turns ? 7 : 2 * step + 1;
      text += fmt::format(
          " enter step\n compute {0}\n irecv from={1} tag=1 bytes=64 req={2}\n"
          " isend to={1} tag=1 bytes=64 req={3}\n compute 50\n waitall reqs={2},{3}\n"
          " compute 20\n allreduce bytes=8 elem=8\n",
          200 + 100 * rank, 1 - rank, first, first + 1);
      if (outputs.contains(step)) text += " compute 70\n barrier\n";
      text += " leave step\n";
    }
    text += " leave loop\n compute 500\n reduce root=0 bytes=8 elem=8\n finalize\n";
  }
  return text;
}

TEST(Scenario, CutsAndRepeatsIterations) {
  const Trace trace = untimed_trace(2, stepping_program(6));
  const EditedProgram fewer = edited(trace, {"iterations count=3"});
  EXPECT_EQ(fewer.log[0].changed, 3u);
  EXPECT_EQ(fewer.log[0].selected, 6u);
  expect_edited(trace, {"iterations count=3"}, stepping_program(3));
  expect_edited(trace, {"iterations count=6"}, stepping_program(6));
  expect_edited(trace, {"iterations count=9", "iterations count=6"}, stepping_program(6));
  // Copies have requests of their own, numbered in the order of their start.
  for (const bool turns : {false, true}) {
    expect_edited(untimed_trace(2, stepping_program(6, {}, turns)), {"iterations count=11"},
                  stepping_program(11));
  }
}

// Iterations 4 to 7 come again as 8 to 11 and so on, with the output of number 5.
TEST(Scenario, RepeatsIterationsInTheirOrder) {
  const Trace trace = untimed_trace(2, stepping_program(8, {2, 5}));
  expect_edited(trace, {"iterations count=14 from=4"}, stepping_program(14, {2, 5, 9, 13}));
  for (const char* edit :
       {"iterations count=15 from=8", "iterations count=15 from=0", "iterations count=0",
        "iterations count=1000000000000", "iterations count=5 loop=2", "iterations count=5 ranks=0",
        "iterations"}) {
    EXPECT_THROW(edited(trace, {edit}), Error) << edit;
  }
}

// Each iteration waits for the receive of the one before it.
TEST(Scenario, RepeatsNoIterationsThatShareRequests) {
  std::string text;
  for (int rank = 0; rank < 2; ++rank) {
    const int other = 1 - rank;
    text += fmt::format("rank {}\n init\n irecv from={} bytes=8 req=1\n", rank, other);
    for (int step = 1; step <= 8; ++step) {
      text += fmt::format(
          " irecv from={0} bytes=8 req={1}\n compute 100\n send to={0} bytes=8\n wait req={2}\n",
          other, step + 1, step);
    }
    text += fmt::format(" compute 100\n send to={} bytes=8\n wait req=9\n finalize\n", other);
  }
  const Trace trace = untimed_trace(2, text);
  EXPECT_THAT([&] { edited(trace, {"iterations count=20"}); },
              ThrowsMessage<Error>(HasSubstr("request")));
}

TEST(Scenario, HasNoIterationsWithoutALoop) {
  EXPECT_THAT([] { edited(two_visits(), {"iterations count=3"}); },
              ThrowsMessage<Error>(HasSubstr("no loop of calls was found")));
}

TEST(Scenario, KeepsTheCallPathsThatCallsReferTo) {
  const Trace trace = untimed_trace(1, R"(
frame 1 0 main
frame 2 1 relax
rank 0
  init frame=1
  compute 80
  barrier frame=2
)");
  EXPECT_EQ(untimed_copy(trace).call_tree(), trace.call_tree());
  // The second edit finds the function in what the first one wrote.
  const EditedProgram program =
      edited(trace, {"scale function=relax factor=0.5", "scale function=relax factor=2"});
  EXPECT_TRUE(same_content(program.trace, untimed_copy(trace)));
}

TEST(Scenario, RefusesWhatTheTraceHasNot) {
  const Trace trace = two_visits();
  EXPECT_THAT([&] { edited(trace, {"scale region=bar factor=2"}); },
              ThrowsMessage<Error>(
                  HasSubstr("the trace has no region of that name. The nearest regions: foo.")));
  EXPECT_THAT([&] { edited(trace, {"explode"}); },
              ThrowsMessage<Error>(HasSubstr("no such action. Choose one of scale, ")));
  EXPECT_THROW(edited(trace, {"scale factor=2 colour=red"}), Error);
  EXPECT_THROW(edited(trace, {"scale factor=2 ranks=2"}), Error);
  EXPECT_THROW(edited(trace, {"balance over=night"}), Error);
}

TEST(Scenario, ReadsToml) {
  const Scenario scenario = parse_scenario(R"(
name = "balanced"
[[edit]]
action = "scale"
region = "foo"
factor = 0.5
[[edit]]
action = "remove"
operation = "barrier"
)",
                                           "s.toml");
  EXPECT_EQ(scenario.name, "balanced");
  ASSERT_EQ(scenario.edits.size(), 2u);
  EXPECT_EQ(to_string(scenario.edits[0]), "scale factor=0.5 region=foo");
  EXPECT_THAT([] { parse_scenario("edit = 3", "s.toml"); },
              ThrowsMessage<Error>(HasSubstr("s.toml:1:")));
  EXPECT_THROW(parse_scenario("[[edit]]\nregion = \"a\"", "s.toml"), Error);
  EXPECT_THROW(parse_scenario("nonsense = 1", "s.toml"), Error);
  EXPECT_THROW(parse_scenario("=", "s.toml"), Error);
}

RC_GTEST_PROP(ScenarioProperty, ScalingByOneChangesNothing, ()) {
  const Trace trace = testing::PlausibleTrace::make();
  const EditedProgram program = edited(trace, {"scale factor=1", "noise amplitude=0"});
  RC_ASSERT(same_content(program.trace, untimed_copy(trace)));
  RC_ASSERT(program.log[0].changed == 0u);
}

RC_GTEST_PROP(ScenarioProperty, AnEditAndItsInverseGiveTheProgramBack, ()) {
  const Trace trace = testing::PlausibleTrace::make();
  const EditedProgram program =
      edited(trace, {"scale factor=4", "shift region=solve time=13ns", "scale factor=0.25"});
  const EditedProgram back = edited(trace, {"scale factor=4", "scale factor=0.25"});
  RC_ASSERT(same_content(back.trace, untimed_copy(trace)));
  RC_ASSERT(program.trace.call_count() == trace.call_count());
}

/// Rank 0 sends three messages to rank 1, the last one after it has waited for rank 1.
Trace three_messages() {
  return untimed_trace(2, R"(
rank 0
  init
  isend to=1 tag=1 bytes=100 req=1
  compute 50
  send to=1 tag=1 bytes=31
  waitall reqs=1
  recv from=1 tag=2 bytes=1
  send to=1 tag=1 bytes=10
rank 1
  init
  irecv from=0 tag=1 bytes=100 req=1
  recv from=0 tag=1 bytes=31
  wait req=1
  send to=0 tag=2 bytes=1
  recv from=0 tag=1 bytes=10
)");
}

TEST(Scenario, SplitsMessages) {
  const EditedProgram program = edited(three_messages(), {"split-messages parts=3 min-bytes=31"});
  EXPECT_EQ(program.log[0].changed, 2u);
  EXPECT_THAT(operations(program.trace, 1), ElementsAre("init", "irecv", "irecv", "irecv", "recv",
                                                        "recv", "recv", "waitall", "send", "recv"));
  EXPECT_EQ(program.trace.calls(0).bytes(1), 34u);
  EXPECT_EQ(program.trace.calls(0).bytes(3), 33u);
  EXPECT_EQ(program.trace.calls(0).bytes(6), 10u);
  EXPECT_EQ(program.trace.calls(0).args(7).size(), 3u);
  EXPECT_TRUE(same_content(edited(three_messages(), {"split-messages parts=1"}).trace,
                           untimed_copy(three_messages())));
}

TEST(Scenario, SplitsMessagesIntoNoMorePartsThanFit) {
  const Trace trace = untimed_trace(
      2, "rank 0\n send to=1 bytes=4000000000\nrank 1\n recv from=0 bytes=4000000000\n");
  EXPECT_THAT([&] { edited(trace, {"split-messages parts=1000000000"}); },
              ThrowsMessage<Error>(HasSubstr("over 100000000 more calls")));
  EXPECT_EQ(edited(trace, {"split-messages parts=100"}).trace.call_count(), 200u);
}

TEST(Scenario, MergesMessagesBetweenWaits) {
  const EditedProgram program = edited(three_messages(), {"merge-messages"});
  EXPECT_EQ(program.log[0].changed, 1u);
  EXPECT_THAT(operations(program.trace, 0), ElementsAre("init", "send", "recv", "send"));
  EXPECT_THAT(operations(program.trace, 1), ElementsAre("init", "irecv", "wait", "send", "recv"));
  EXPECT_EQ(program.trace.calls(0).bytes(1), 131u);
  EXPECT_EQ(program.trace.calls(1).bytes(1), 131u);
  EXPECT_THAT(gaps(program.trace, 0), ElementsAre(0, 50, 0, 0, 0));
  EXPECT_EQ(edited(three_messages(), {"merge-messages limit=130"}).log[0].changed, 0u);
}

TEST(Scenario, AddsDelays) {
  const EditedProgram once = edited(two_visits(), {"delay time=1us at=300ns rank=1"});
  EXPECT_THAT(gaps(once.trace, 1), ElementsAre(0, 1310, 120, 0));
  EXPECT_EQ(once.log[0].changed, 1u);
  const EditedProgram often = edited(two_visits(), {"delay time=5ns every=100ns rank=1"});
  EXPECT_THAT(gaps(often.trace, 1), ElementsAre(0, 310 + 15, 120 + 5, 0));
  EXPECT_THAT(gaps(often.trace, 0), ElementsAre(0, 120, 120, 0));
}

TEST(Scenario, OverlapsComputationWithWaits) {
  const Trace trace = untimed_trace(2, R"(
rank 0
  init
  compute 10
  recv from=1 tag=1 bytes=8
  compute 100
  barrier
rank 1
  init
  send to=0 tag=1 bytes=8
  compute 30
  barrier
)");
  const EditedProgram program = edited(trace, {"overlap by=40% operation=recv"});
  EXPECT_EQ(program.log[0].changed, 1u);
  EXPECT_THAT(operations(program.trace, 0), ElementsAre("init", "recv", "barrier"));
  EXPECT_THAT(gaps(program.trace, 0), ElementsAre(0, 50, 60, 0));
  EXPECT_THAT(gaps(program.trace, 1), ElementsAre(0, 0, 30, 0));
}

RC_GTEST_PROP(ScenarioProperty, EditsThatChangeNothingGiveTheProgramBack, ()) {
  const Trace trace = testing::PlausibleTrace::make();
  const EditedProgram program =
      edited(trace, {"overlap by=0", "split-messages parts=1", "delay time=0s",
                     "merge-messages min-bytes=1 limit=1"});
  RC_ASSERT(same_content(program.trace, untimed_copy(trace)));
}

RC_GTEST_PROP(ScenarioProperty, DividedAndMergedMessagesKeepTheirBytes, ()) {
  const Trace trace = testing::PlausibleTrace::make();
  const auto bytes = [](const Trace& t) {
    std::uint64_t sum = 0;
    const CallMatching matching(t);
    for (const MessageCalls& m : matching.messages()) sum += m.bytes;
    return sum;
  };
  RC_ASSERT(bytes(edited(trace, {"split-messages parts=3"}).trace) == bytes(trace));
  RC_ASSERT(bytes(edited(trace, {"merge-messages"}).trace) == bytes(trace));
  const EditedProgram back = edited(
      trace,
      {"merge-messages", "split-messages parts=4 operation=send", "merge-messages operation=send"});
  const EditedProgram merged = edited(trace, {"merge-messages"});
  RC_ASSERT(bytes(back.trace) == bytes(merged.trace));
}

RC_GTEST_PROP(ScenarioProperty, RemovingEverythingLeavesNothingUnmatched, ()) {
  const Trace trace = testing::PlausibleTrace::make();
  // apply() throws where a message or collective would lose its other side.
  const EditedProgram program = edited(trace, {"remove-messages", "remove operation=allreduce"});
  const CallMatching matching(program.trace);
  RC_ASSERT(matching.messages().empty());
  for (const CollectiveInstance& c : matching.collectives()) {
    RC_ASSERT(c.operation != Operation::allreduce);
  }
}

/// Rank 0 computes 1000 ns between two calls that main makes; samples found it in kernel, which
/// solve calls, for 3 of 4.
constexpr const char* kSampled =
    "slackline-trace 1 timed ranks=1\ninfo sampling=10\nframe 1 0 main\nframe 2 1 solve\n"
    "frame 3 2 kernel\nframe 4 1 other\nrank 0\n @0 +10 init frame=1\n @20 sample cpu=30 frame=3\n"
    " @30 sample cpu=10 frame=4\n @1010 +10 barrier frame=1\n @2020 +10 barrier frame=1\n"
    " @2030 finalize frame=1\n";

std::int64_t after_edits(const std::vector<std::string>& edits, std::string_view text = kSampled) {
  Samples samples;
  const Trace trace = read_text(text, "test", &samples);
  Scenario scenario;
  for (const std::string& edit : edits) scenario.edits.push_back(parse_edit(edit));
  return apply(scenario, {trace, samples}).log.back().computation_after_ns;
}

TEST(Scenario, SelectsFunctionsBySamples) {
  // Both stretches lie between the same places, so the second is shared out as the first.
  EXPECT_EQ(after_edits({"scale function=kernel factor=0"}), 500);
  EXPECT_EQ(after_edits({"scale function=solve factor=0"}), 500);
  EXPECT_EQ(after_edits({"scale function=other factor=0"}), 1500);
  EXPECT_EQ(after_edits({"scale function=main factor=0"}), 0);
}

TEST(Scenario, KeepsSamplesWhereCallsAreRemoved) {
  EXPECT_EQ(after_edits({"remove operation=barrier after=2us", "scale function=kernel factor=0"}),
            500);
  // What is sampled lies behind the removed barrier, and between other places than the 1000 ns
  // after it.
  EXPECT_EQ(
      after_edits({"remove operation=barrier before=100ns", "scale function=kernel factor=0"},
                  "slackline-trace 1 timed ranks=1\ninfo sampling=10\nframe 1 0 main\n"
                  "frame 2 1 solve\nframe 3 2 kernel\nframe 4 1 other\nrank 0\n"
                  " @0 +10 init frame=1\n @12 +2 barrier frame=1\n @20 sample cpu=30 frame=3\n"
                  " @1010 +10 barrier frame=1\n @2020 +10 barrier frame=4\n"
                  " @2030 finalize frame=1\n"),
      1000);
}

TEST(Scenario, TellsWhatAnEditSelected) {
  const Trace trace = two_visits();
  const EditedProgram same = edited(trace, {"scale region=foo factor=1"});
  EXPECT_EQ(same.log[0].changed, 0u);
  EXPECT_EQ(same.log[0].selected, 4u);
  EXPECT_NO_THROW(require_selected(same));
  const EditedProgram none = edited(trace, {"remove-messages"});
  EXPECT_EQ(none.log[0].selected, 0u);
  EXPECT_THAT([&] { require_selected(none); },
              ThrowsMessage<Error>(HasSubstr("it selects no messages")));
}

TEST(Scenario, NamesTheNearestFunctionsAndRegions) {
  Samples samples;
  const Trace trace = read_text(kSampled, "test", &samples);
  const Scenario scenario{.edits = {parse_edit("scale function=kernle factor=0")}};
  EXPECT_THAT(
      [&] {
        apply(scenario, {trace, samples});
      },
      ThrowsMessage<Error>(HasSubstr("The nearest names: kernel, ")));
  EXPECT_THAT([&] { edited(two_visits(), {"scale region=fo factor=0"}); },
              ThrowsMessage<Error>(HasSubstr("The nearest regions: foo.")));
}

}  // namespace
}  // namespace slackline
