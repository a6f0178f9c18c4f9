#include "trace/trace_builder.h"

#include <gtest/gtest.h>

#include <array>
#include <type_traits>
#include <utility>
#include <vector>

namespace slackline {
namespace {

TEST(RankCalls, ReturnsWhatWasAppended) {
  RankCallsBuilder calls;
  const std::array<std::int64_t, 3> serials{4, 5, 6};
  calls.append({.operation = Operation::send, .begin_ns = 10, .end_ns = 15, .bytes = 8, .peer = 1});
  calls.append({.operation = Operation::waitall,
                .flags = 3,
                .thread = 2,
                .begin_ns = 20,
                .end_ns = 21,
                .args = serials});
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].operation, Operation::send);
  EXPECT_EQ(calls[0].thread, 0);
  EXPECT_EQ(calls[0].peer, 1);
  EXPECT_TRUE(calls[0].args.empty());
  EXPECT_EQ(calls[1].thread, 2);
  EXPECT_TRUE(calls[1].has(SLK_FLAG_ANY_TAG));
  ASSERT_EQ(calls[1].args.size(), 3u);
  EXPECT_EQ(calls[1].args[2], 6);
}

TEST(RankCalls, GapsAreComputationSinceTheCallBefore) {
  RankCallsBuilder calls;
  calls.set_start_ns(5);
  calls.append({.operation = Operation::send, .begin_ns = 10, .end_ns = 30});
  calls.append({.operation = Operation::send, .begin_ns = 25, .end_ns = 40});  // another thread's
  calls.append({.operation = Operation::send, .begin_ns = 47, .end_ns = 50});
  EXPECT_EQ(calls.gap_ns(0), 5);
  EXPECT_EQ(calls.gap_ns(1), 0);
  EXPECT_EQ(calls.gap_ns(2), 7);
}

TEST(RankCalls, RecordingTheCallsAroundAGapIsNoComputation) {
  RankCallsBuilder calls;
  calls.append({.operation = Operation::send, .begin_ns = 100, .end_ns = 130});
  calls.append({.operation = Operation::barrier, .begin_ns = 200, .end_ns = 210});
  calls.append({.operation = Operation::send, .begin_ns = 220, .end_ns = 230});
  EXPECT_EQ(calls.recording_ns(1), 0) << "not known";
  EXPECT_EQ(calls.useful_ns(1), 70);
  std::vector<RecordingCost> costs(static_cast<std::size_t>(Operation::barrier) + 1);
  costs[static_cast<std::size_t>(Operation::send)] = {7, 8};
  costs[static_cast<std::size_t>(Operation::barrier)] = {5, 3};
  calls.set_recording_costs(costs);
  calls.append_pause({140, 160, 1, PauseKind::blocked});
  EXPECT_EQ(calls.recording_ns(1), 8 + 5);
  EXPECT_EQ(calls.useful_ns(1), 70 - 20 - 13);
  EXPECT_EQ(calls.recording_ns(2), 10) << "no more than the gap of 10 ns";
  EXPECT_EQ(calls.useful_ns(2), 0);
  EXPECT_EQ(calls.recording_cost_ns(3), 8) << "after the last call";
}

TEST(RankCalls, MapTimesReachesEveryTime) {
  RankCallsBuilder calls;
  calls.set_start_ns(1);
  calls.append({.operation = Operation::send, .begin_ns = 10, .end_ns = 30});
  calls.append_region({.time_ns = 9, .region = 0, .before_call = 0, .enter = true});
  calls.map_times([](std::int64_t t) { return 2 * t; });
  EXPECT_EQ(calls.start_ns(), 2);
  EXPECT_EQ(calls.begin_ns(0), 20);
  EXPECT_EQ(calls.end_ns(0), 60);
  EXPECT_EQ(calls.regions()[0].time_ns, 18);
}

// The call inside moves by 100 ns: the region ends that much later, and begins when it did.
TEST(RankCalls, RetimeMovesTheEndsOfAParallelRegionWithTheirOwnGaps) {
  RankCallsBuilder calls;
  calls.append({.operation = Operation::barrier, .begin_ns = 0, .end_ns = 10});
  calls.append({.operation = Operation::barrier, .begin_ns = 50, .end_ns = 60});
  calls.append({.operation = Operation::barrier, .begin_ns = 110, .end_ns = 120});
  ParallelRegions regions;
  const std::vector<LocationTime> team{{80, 0}};
  regions.append({.begin_ns = 20, .end_ns = 100, .length_ns = 80, .before_call = 2}, team);
  calls.set_parallel_regions(std::move(regions));
  calls.retime(std::vector<std::int64_t>{0, 10, 150, 160, 210, 220});
  EXPECT_EQ(calls.parallel_regions().all()[0].begin_ns, 20);
  EXPECT_EQ(calls.parallel_regions().all()[0].end_ns, 200);
}

TEST(Trace, KnowsTheTwoPredefinedCommunicators) {
  TraceBuilder trace(3, true);
  EXPECT_EQ(trace.communicators()[kCommWorld].members, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(trace.rank_in(kCommWorld, 2), 2);
  EXPECT_EQ(trace.rank_in(kCommSelf, 2), 0);
  const std::uint32_t odd = trace.add_communicator({.members = {2, 0}, .remote = {}, .name = {}});
  EXPECT_EQ(odd, 2u);
  EXPECT_EQ(trace.rank_in(odd, 0), 1);
  EXPECT_EQ(trace.rank_in(odd, 1), -1);
  EXPECT_EQ(trace.rank_in(99, 1), -1);
}

TEST(Trace, RegionsAreNumberedByFirstUse) {
  TraceBuilder trace(1, true);
  EXPECT_EQ(trace.region_id("solve"), 0u);
  EXPECT_EQ(trace.region_id("io"), 1u);
  EXPECT_EQ(trace.region_id("solve"), 0u);
}

TEST(Trace, SameContentSeesEveryFieldOfACall) {
  const auto with = [](const Call& call) {
    TraceBuilder trace(1, true);
    trace.calls(0).append(call);
    return trace;
  };
  const Call base{.operation = Operation::isend, .begin_ns = 1, .end_ns = 2, .bytes = 3, .peer = 0};
  const std::array<std::int64_t, 1> args{7};
  EXPECT_TRUE(same_content(with(base), with(base)));
  const auto differs = [&](auto change) {
    Call other = base;
    change(other);
    return !same_content(with(base), with(other));
  };
  EXPECT_TRUE(differs([](Call& c) { c.operation = Operation::issend; }));
  EXPECT_TRUE(differs([](Call& c) { c.flags = 1; }));
  EXPECT_TRUE(differs([](Call& c) { c.thread = 1; }));
  EXPECT_TRUE(differs([](Call& c) { c.begin_ns = 0; }));
  EXPECT_TRUE(differs([](Call& c) { c.end_ns = 9; }));
  EXPECT_TRUE(differs([](Call& c) { c.bytes = 9; }));
  EXPECT_TRUE(differs([](Call& c) { c.peer = 9; }));
  EXPECT_TRUE(differs([](Call& c) { c.tag = 9; }));
  EXPECT_TRUE(differs([](Call& c) { c.comm = 1; }));
  EXPECT_TRUE(differs([](Call& c) { c.request = 1; }));
  EXPECT_TRUE(differs([&](Call& c) { c.args = args; }));
}

TEST(Trace, SameContentSeesCommunicatorsAndRegions) {
  TraceBuilder a(2, true);
  TraceBuilder b(2, true);
  EXPECT_TRUE(same_content(a, b));
  EXPECT_FALSE(same_content(a, Trace(2, false)));
  EXPECT_FALSE(same_content(a, Trace(3, true)));
  b.add_communicator({.members = {0}, .remote = {1}, .name = {}});
  EXPECT_FALSE(same_content(a, b));
  a.add_communicator({.members = {0}, .remote = {}, .name = {}});
  EXPECT_FALSE(same_content(a, b));
}

// A Trace comes from build() alone, and neither way copies unless one asks for it.
static_assert(!std::is_constructible_v<Trace, TraceBuilder>);
static_assert(!std::is_constructible_v<Trace, const TraceBuilder&>);
static_assert(!std::is_assignable_v<Trace&, TraceBuilder>);
static_assert(!std::is_constructible_v<RankCalls, RankCallsBuilder>);
static_assert(!std::is_constructible_v<TraceBuilder, const Trace&>);
static_assert(std::is_constructible_v<TraceBuilder, Trace>);

TEST(TraceBuilder, GivesItsColumnsAwayAndTakesThemBack) {
  TraceBuilder first(1, true);
  first.region_id("solve");
  first.calls(0).append({.operation = Operation::barrier, .begin_ns = 5, .end_ns = 7});
  const std::int64_t* const column = first.calls(0).begins_ns().data();
  Trace built = std::move(first).build();
  EXPECT_EQ(built.calls(0).begins_ns().data(), column);
  TraceBuilder second = std::move(built);
  EXPECT_EQ(second.calls(0).begins_ns().data(), column);
  EXPECT_EQ(second.region_id("io"), 1u);
  EXPECT_EQ(second.region_id("solve"), 0u);
}

TEST(Trace, WithoutCallsIsTheSameJob) {
  TraceBuilder trace(2, true);
  trace.rank_info(1).host = "n1";
  const std::uint32_t comm = trace.add_communicator({.members = {1, 0}, .remote = {}, .name = "c"});
  trace.region_id("solve");
  trace.add_counter("PAPI_TOT_INS");
  trace.call_tree().child(0, {.function = "main", .file = {}, .line = 3, .module = {}});
  trace.info().program = "a";
  trace.findings().add({"lost", Severity::data_loss, "Lost."}, "one");
  trace.calls(0).append({.operation = Operation::barrier, .frame = 1});

  const TraceBuilder copy = TraceBuilder::without_calls(trace, false);
  EXPECT_FALSE(copy.timed());
  EXPECT_EQ(copy.ranks(), 2);
  EXPECT_EQ(copy.call_count(), 0u);
  EXPECT_EQ(copy.rank_info(1).host, "n1");
  EXPECT_EQ(copy.communicators()[comm].name, "c");
  EXPECT_EQ(copy.regions(), trace.regions());
  EXPECT_EQ(copy.call_tree(), trace.call_tree());
  EXPECT_EQ(copy.info().program, "a");
  EXPECT_EQ(copy.findings().entries().size(), 1u);
  EXPECT_TRUE(copy.counters().empty());
}

TEST(RankCalls, ReplacesACallButForItsTimesAndArguments) {
  const std::array<std::int64_t, 1> args{7};
  RankCallsBuilder calls;
  calls.append(
      {.operation = Operation::isend, .begin_ns = 1, .end_ns = 2, .bytes = 3, .args = args});
  calls.replace(0,
                {.operation = Operation::issend, .thread = 2, .frame = 5, .bytes = 4, .peer = 6});
  EXPECT_EQ(calls[0].operation, Operation::issend);
  EXPECT_EQ(calls[0].thread, 2);
  EXPECT_EQ(calls[0].frame, 5u);
  EXPECT_EQ(calls[0].bytes, 4u);
  EXPECT_EQ(calls[0].peer, 6);
  EXPECT_EQ(calls[0].begin_ns, 1);
  EXPECT_EQ(calls[0].args[0], 7);
}

}  // namespace
}  // namespace slackline
