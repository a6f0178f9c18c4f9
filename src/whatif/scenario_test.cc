#include "whatif/scenario.h"

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
#include "whatif/testing/edited_programs.h"

namespace slackline {
namespace {

using testing::edited;
using ::testing::ElementsAre;
using testing::gaps;
using ::testing::HasSubstr;
using testing::operations;
using ::testing::ThrowsMessage;
using testing::timed_trace;
using testing::two_visits;
using testing::untimed_trace;

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

// Two visits, each longer by up to 1 us or 1 us on average: the mean of many seeds is 1 us or 2 us.
TEST(Scenario, AddsNoiseOfATime) {
  constexpr int kSeeds = 4000;
  for (const auto& [shape, mean_ns] : {std::pair{"uniform", 1000.}, {"exponential", 2000.}}) {
    double sum = 0;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const EditedProgram program =
          edited(two_visits(), {"noise amplitude=1us region=foo ranks=1 distribution=" +
                                std::string(shape) + " seed=" + std::to_string(seed)});
      const auto& log = program.log[0];
      sum += static_cast<double>(log.computation_after_ns - log.computation_before_ns);
    }
    EXPECT_NEAR(sum / kSeeds, mean_ns, mean_ns / 40) << shape;
  }
}

TEST(Scenario, RefusesProgramsThatAreTooLong) {
  const auto too_long = ThrowsMessage<Error>(HasSubstr("for more than 146 years"));
  const Trace trace = edited(two_visits(), {"scale factor=1e9"}).trace;
  for (const char* edit : {"scale factor=1e18", "scale factor=1e300", "noise amplitude=1e300",
                           "delay time=1000s every=1ns"}) {
    EXPECT_THAT([&] { edited(trace, {edit}); }, too_long) << edit;
  }
  for (const char* edit : {"scale factor=-1", "scale factor=nan", "scale factor=inf",
                           "noise amplitude=-0.1", "noise amplitude=-1us",
                           "noise amplitude=1us distribution=odd", "split-messages parts=1e18"}) {
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
  EXPECT_EQ(edited(trace, {"remove-messages max-bytes=0"}).log[0].changed, 2u);
  expect_edited(trace, {"remove-messages max-bytes=0"}, R"(
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
)");
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
