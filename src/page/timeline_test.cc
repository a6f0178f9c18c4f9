#include "page/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/units.h"
#include "graph/build.h"
#include "graph/testing/text_graph.h"
#include "page/levels.h"
#include "page/testing/column_reader.h"
#include "page/trace_calls.h"
#include "timing/model_schedule.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

using testing::ColumnReader;
using ::testing::ElementsAre;
using testing::timed_trace;

struct Analysed {
  explicit Analysed(Trace t)
      : trace(std::move(t)), matching(trace), paths(trace), waits(wait_states(trace, matching)) {}

  Timeline draw(std::uint64_t most = kTimelineCalls) {
    std::vector<TimelineRun> runs;
    runs.push_back({"measured", "measured", measured_times(trace), {}, &waits});
    return timeline({trace, paths, matching}, runs, most);
  }

  Trace trace;
  CallMatching matching;
  CallPaths paths;
  WaitStates waits;
};

// The operations that occur in kLateSenderRun, in their own order.
constexpr int kSend = 1;
constexpr int kRecv = 2;

// Rank 0 computes 100 ns and sends 5 ns; rank 1 receives from 30 to 110, of which it waits 70.
constexpr const char* kLateSenderRun =
    "rank 0\n @100 +5 send to=1 bytes=8\n"
    "rank 1\n @30 +80 recv from=0 bytes=8\n";

TEST(TimelineChunks, HaveTheColumnsOfTheContract) {
  Analysed run(timed_trace(2, kLateSenderRun));
  const Timeline t = run.draw();
  EXPECT_EQ(t.tick_ns, 1u);
  EXPECT_EQ(t.span, 110u);
  EXPECT_THAT(t.operations, ElementsAre("computation", "MPI_Send", "MPI_Recv")) << "that occur";
  EXPECT_THAT(t.patterns, ElementsAre("", "late sender"));
  ASSERT_EQ(t.runs.size(), 1u);
  ASSERT_EQ(t.runs[0].chunks.size(), 1u);
  EXPECT_EQ(t.runs[0].chunks[0].calls, 2u);
  ColumnReader in(t.runs[0].chunks[0].blob);
  EXPECT_THAT(in.varints(2), ElementsAre(1, 1)) << "count";
  EXPECT_THAT(in.varints(2), ElementsAre(0, 0)) << "first";
  EXPECT_THAT(in.bytes(2), ElementsAre(kSend, kRecv));
  EXPECT_THAT(in.varints(2), ElementsAre(0, 1)) << "received";
  EXPECT_THAT(in.zigzags(1), ElementsAre(-1)) << "source";
  EXPECT_THAT(in.zigzags(1), ElementsAre(0)) << "send";
  EXPECT_THAT(in.varints(2), ElementsAre(0, 0)) << "collective";
  EXPECT_THAT(in.split(2), ElementsAre(2 * 100, 2 * 30)) << "gap";
  EXPECT_THAT(in.split(2), ElementsAre(2 * 5, 2 * 10)) << "end: 105 - 100, 110 - 100 (the send)";
  EXPECT_THAT(in.varints(2), ElementsAre(2 + 2, 2 + 1)) << "peer: 2 + zigzag(+1), 2 + zigzag(-1)";
  EXPECT_THAT(in.varints(2), ElementsAre(8, 8)) << "bytes";
  EXPECT_THAT(in.bytes(2), ElementsAre(0, 1)) << "wait: late sender";
  EXPECT_THAT(in.zigzags(1), ElementsAre(80 - 70)) << "wait rest";
  EXPECT_THAT(in.varints(1), ElementsAre(1 + 1)) << "wait cause: 1 + zigzag(-1)";
  EXPECT_TRUE(in.at_end());
}

// Rank 1 waits from 30 to 100 for the send of rank 0, its call 0.
TEST(TimelineEvents, SayWhoWaitsForWhom) {
  Analysed run(timed_trace(2, kLateSenderRun));
  const Timeline t = run.draw();
  ASSERT_TRUE(t.runs[0].waits.has_value());
  EXPECT_EQ(t.runs[0].waits->count, 1u);
  ColumnReader in(t.runs[0].waits->blob);
  EXPECT_THAT(in.varints(1), ElementsAre(1)) << "rank";
  EXPECT_THAT(in.varints(1), ElementsAre(30)) << "begin";
  EXPECT_THAT(in.varints(1), ElementsAre(70)) << "duration";
  EXPECT_THAT(in.bytes(1), ElementsAre(1)) << "pattern";
  EXPECT_THAT(in.bytes(1), ElementsAre(kRecv)) << "operation";
  EXPECT_THAT(in.varints(1), ElementsAre(0)) << "call";
  EXPECT_THAT(in.varints(1), ElementsAre(1 + 0)) << "cause: rank 0";
  EXPECT_THAT(in.varints(1), ElementsAre(1 + 0)) << "its call";
  EXPECT_TRUE(in.at_end());
}

TEST(TimelineEvents, FollowThePath) {
  Analysed run(timed_trace(2, kLateSenderRun));
  std::vector<TimelineRun> runs;
  runs.push_back({"measured",
                  "measured",
                  measured_times(run.trace),
                  {{0, 100, 0, 5, Operation::none},
                   {100, 105, 0, 5, Operation::send},
                   {105, 110, 1, 2, Operation::recv}},
                  &run.waits});
  const Timeline t = timeline({run.trace, run.paths, run.matching}, runs);
  ASSERT_TRUE(t.runs[0].path.has_value());
  ColumnReader in(t.runs[0].path->blob);
  EXPECT_THAT(in.zigzags(3), ElementsAre(0, 0, 1)) << "rank";
  EXPECT_THAT(in.varints(3), ElementsAre(0, 0, 0)) << "gap";
  EXPECT_THAT(in.varints(3), ElementsAre(100, 5, 5)) << "duration";
  EXPECT_THAT(in.bytes(3), ElementsAre(0, kSend, kRecv)) << "operation";
  EXPECT_THAT(in.zigzags(3), ElementsAre(5, 0, -3)) << "call";
}

TEST(TimelineChunks, TellMembersOfACollectiveByItsNumber) {
  Analysed run(timed_trace(2,
                           "rank 0\n @10 +10 barrier\n @30 +5 barrier\n"
                           "rank 1\n @15 +5 barrier\n @25 +10 barrier\n"));
  ColumnReader in(run.draw().runs[0].chunks[0].blob);
  in.varints(4);
  in.bytes(4);
  in.varints(4);
  // Instances 0 and 1 in each rank: 1 + zigzag(0 - 0), 1 + zigzag(1 - 0).
  EXPECT_THAT(in.varints(4), ElementsAre(1, 3, 1, 3));
  EXPECT_THAT(in.split(4), ElementsAre(20, 20, 30, 10)) << "gaps 10, 10 and 15, 5";
  EXPECT_THAT(in.split(4), ElementsAre(20, 10, 0, 0)) << "ends 10, 5; as those of rank 0";
}

TEST(TimelineChunks, FollowRegions) {
  Analysed run(timed_trace(1,
                           "rank 0\n @10 enter solve\n @20 +5 barrier\n @40 leave solve\n"
                           " @50 +5 barrier\n"));
  const Timeline t = run.draw();
  EXPECT_THAT(t.regions, ElementsAre("", "solve"));
  ColumnReader in(t.runs[0].chunks[0].blob);
  in.varints(2);
  in.bytes(2);
  in.varints(4);
  in.split(2);
  in.split(2);
  in.varints(4);
  in.bytes(2);
  EXPECT_THAT(in.varints(1), ElementsAre(3)) << "changes";
  EXPECT_THAT(in.varints(3), ElementsAre(0, 10, 30)) << "times";
  EXPECT_THAT(in.varints(3), ElementsAre(0, 1, 0)) << "paths";
  EXPECT_TRUE(in.at_end());
}

TEST(TimelineLevels, SayWhatFillsABucketAndHowMuchIsWaiting) {
  Analysed run(timed_trace(2, kLateSenderRun));
  const std::vector<std::vector<PathChange>> paths(2);
  const auto waits = waits_by_rank(run.trace.ranks(), run.waits);
  const RunTimes times = measured_times(run.trace);
  const WaitStates* const states = &run.waits;
  const Trace* const trace = &run.trace;
  const TimelineCodes codes({&trace, 1}, {&states, 1});
  const TraceCalls calls(run.trace, run.matching, run.paths, codes);
  const RunRows rows{calls, times, paths, waits, codes, false};
  const auto levels = timeline_levels(rows, TickScale(0), 2);  // 110 / 2 = 55: buckets of 64
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_EQ(levels[0].width, 64u);
  EXPECT_EQ(levels[0].buckets, 2u);
  ColumnReader in(levels[0].slices[0].blob);
  // Rank 0 ends at 105: 36 of 41 ns computation. Rank 1 computes 30 of 64, then receives.
  EXPECT_THAT(in.bytes(4), ElementsAre(0, 0, kRecv, kRecv));
  // Fifteenths in MPI: 0, 5/41 (2), 34/64 (8), all; waiting: 34/64 (8), 36/46 (12).
  EXPECT_THAT(in.bytes(4), ElementsAre(0x00, 0x20, 0x88, 0xfc));
  EXPECT_THAT(in.bytes(4), ElementsAre(0, 0, 1, 1)) << "pattern";
  EXPECT_TRUE(in.at_end());
}

TEST(TimelineLevels, AddUpFromLevelToLevel) {
  // One of four parts of 1024 ns computes alone, and each of the three others is filled by another
  // operation to 40 %: the winner of the whole is computation, which wins no part but one.
  Analysed run(timed_trace(1,
                           "rank 0\n @614 +410 barrier\n @1638 +410 send to=0 bytes=1\n"
                           " @2662 +410 recv from=0 bytes=1\n @4090 +6 barrier\n"));
  const std::vector<std::vector<PathChange>> paths(1);
  const RunTimes times = measured_times(run.trace);
  const Trace* const trace = &run.trace;
  const TimelineCodes codes({&trace, 1}, {});
  const TraceCalls calls(run.trace, run.matching, run.paths, codes);
  const RunRows rows{calls, times, paths, {}, codes, false};
  const auto levels = timeline_levels(rows, TickScale(0), 1024);
  ASSERT_GE(levels.size(), 2u);
  for (std::size_t i = 1; i < levels.size(); ++i) {
    EXPECT_EQ(levels[i].width, 2 * levels[i - 1].width);
    EXPECT_EQ(levels[i].buckets, (levels[i - 1].buckets + 1) / 2);
  }
  EXPECT_LE(levels.back().buckets, 512u);
  const auto coarse = timeline_levels(rows, TickScale(0), 1);
  ColumnReader in(coarse.back().slices[0].blob);
  EXPECT_EQ(in.u8(), 0u);
  EXPECT_EQ(in.u8() >> 4, 5u);  // 1236 of 4096: 4.5 fifteenths
}

TEST(TimelineTicks, RoundEachTimeOnce) {
  const TickScale ticks(3);
  EXPECT_EQ(ticks(-5), 0u);
  EXPECT_EQ(ticks(3), 0u);
  EXPECT_EQ(ticks(4), 1u);
  EXPECT_EQ(ticks(20), 3u);
  EXPECT_EQ(ticks.tick_ns(), 8u);
}

/// A ring of `ranks` whose times vary.
Trace random_ring(int ranks, int steps) {
  std::mt19937 random(7);
  TraceBuilder trace(ranks, true);
  for (int r = 0; r < ranks; ++r) {
    std::int64_t now = 0;
    const auto add = [&](Call call) {
      now += static_cast<std::int64_t>(random() % 100'000);
      call.begin_ns = now;
      now += static_cast<std::int64_t>(random() % 10'000);
      call.end_ns = now;
      trace.calls(r).append(call);
    };
    for (int s = 0; s < steps; ++s) {
      add({.operation = Operation::send, .bytes = 64, .peer = (r + 1) % ranks});
      add({.operation = Operation::recv, .bytes = 64, .peer = (r + ranks - 1) % ranks});
    }
  }
  return std::move(trace).build();
}

std::uint64_t page_bytes(const Timeline& t) {
  std::uint64_t size = 0;
  for (const Timeline::Run& run : t.runs) {
    for (const auto& level : run.levels) {
      for (const auto& slice : level.slices) size += base64_size(slice.blob.zlib.size());
    }
    for (const auto& chunk : run.chunks) size += base64_size(chunk.blob.zlib.size());
    if (run.path) size += base64_size(run.path->blob.zlib.size());
    if (run.waits) size += base64_size(run.waits->blob.zlib.size());
  }
  return size;
}

TEST(Timeline, KeepsItsBudgetWithTimesThatDoNotCompress) {
  Analysed run(random_ring(8, 20'000));
  ASSERT_GT(run.trace.call_count(), kExactCalls);
  const Timeline t = run.draw();
  EXPECT_TRUE(t.complete);
  EXPECT_GT(t.tick_ns, 1u);
  EXPECT_GT(t.runs[0].chunks.size(), 3u);
  EXPECT_LE(page_bytes(t), 4 * t.calls);
  // Every call begins in exactly one chunk.
  std::vector<std::uint64_t> next(8, 0);
  for (const Timeline::Chunk& chunk : t.runs[0].chunks) {
    ColumnReader in(chunk.blob);
    const auto counts = in.varints(8);
    const auto firsts = in.varints(8);
    for (std::size_t r = 0; r < 8; ++r) {
      EXPECT_LE(static_cast<std::uint64_t>(firsts[r]), next[r]);
      EXPECT_GE(static_cast<std::uint64_t>(firsts[r]) + 1, next[r]);
      next[r] = static_cast<std::uint64_t>(firsts[r] + counts[r]);
    }
  }
  for (const std::uint64_t last : next) EXPECT_EQ(last, 40'000u);
}

/// Steps of `ranks` that compute for about 100 us, send to a neighbour and meet.
Trace ring_with_steps(int ranks, int steps) {
  std::mt19937 random(11);
  const auto below = [&](unsigned most) { return static_cast<std::int64_t>(random() % most); };
  TraceBuilder trace(ranks, true);
  std::vector<std::int64_t> now(static_cast<std::size_t>(ranks), 1000);
  for (int s = 0; s < steps; ++s) {
    std::int64_t latest = 0;
    for (std::int64_t& at : now) latest = std::max(latest, at += 100'000 + below(8000));
    for (int r = 0; r < ranks; ++r) {
      const std::int64_t begin = now[static_cast<std::size_t>(r)];
      const auto add = [&](Call call, std::int64_t from, std::int64_t to) {
        call.begin_ns = from;
        call.end_ns = to;
        trace.calls(r).append(call);
      };
      add({.operation = Operation::send, .bytes = 64, .peer = (r + 1) % ranks}, begin, begin + 700);
      add({.operation = Operation::recv, .bytes = 64, .peer = (r + ranks - 1) % ranks}, begin + 900,
          latest + 1500 + below(500));
      add({.operation = Operation::allreduce, .bytes = 8}, latest + 2100 + below(500),
          latest + 5000);
      now[static_cast<std::size_t>(r)] = latest + 5000 + below(100);
    }
  }
  return std::move(trace).build();
}

/// Every run has its calls, at the times that it has them.
TEST(Timeline, ShowsSingleCallsOfAllRunsExactlyAtEveryNumberOfRanks) {
  for (const int ranks : {4, 8, 64, 1200, 2000}) {
    Analysed run(ring_with_steps(ranks, ranks >= 1200 ? 12 : 84));
    const ExecutionGraph graph = build_graph(run.trace, {});
    LogGPS model;
    model.latency_fs = 1500 * kFemtosPerNano;
    const Schedule schedule = model_schedule(graph, model);
    std::vector<TimelineRun> runs;
    runs.push_back({"measured", "measured", measured_times(run.trace), {}, &run.waits});
    runs.push_back({"predicted", "predicted", scheduled_times(run.trace, graph, schedule, 0)});
    const Timeline t = timeline({run.trace, run.paths, run.matching}, runs);
    EXPECT_EQ(t.tick_ns, 1u) << ranks;
    EXPECT_EQ(t.note, "") << ranks;
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_FALSE(t.runs[i].chunks.empty()) << ranks;
      EXPECT_EQ(t.runs[i].chunks.back().to, t.runs[i].span + 1) << ranks;
    }
  }
}

TEST(Timeline, LeavesSingleCallsOutOfLongTraces) {
  Analysed run(random_ring(4, 100));
  const Timeline t = run.draw(100);
  EXPECT_FALSE(t.complete);
  EXPECT_TRUE(t.runs[0].chunks.empty());
  EXPECT_FALSE(t.runs[0].levels.empty());
  EXPECT_TRUE(t.runs[0].waits.has_value());
  EXPECT_THAT(t.note, ::testing::HasSubstr("slackline view --serve"));
}

TEST(Timeline, TakesEmptyAndTimelessTraces) {
  Analysed nothing{Trace(3, true)};
  const Timeline empty = nothing.draw();
  EXPECT_EQ(empty.span, 0u);
  EXPECT_EQ(empty.runs[0].begins.size(), 3u);
  Analysed instant(timed_trace(1, "rank 0\n @0 +0 barrier\n"));
  EXPECT_EQ(instant.draw().span, 0u);
}

TEST(Timeline, DrawsThePredictedRunBesideTheMeasuredOne) {
  // 100 ns of computation, then o + L + o at L = 500 ns, o = 10 ns: the receive ends at 620.
  Analysed run(timed_trace(2, kLateSenderRun));
  const ExecutionGraph graph = build_graph(run.trace, {});
  LogGPS model;
  model.latency_fs = 500 * kFemtosPerNano;
  model.overhead_fs = 10 * kFemtosPerNano;
  model.gap_per_byte_fs = 0;
  const Schedule schedule = model_schedule(graph, model);
  const RunTimes times = scheduled_times(run.trace, graph, schedule, 0);
  EXPECT_EQ(times.ranks[0].begin_ns(0), 100);
  EXPECT_EQ(times.ranks[0].end_ns(0), 110);
  EXPECT_EQ(times.ranks[1].begin_ns(0), 30);
  EXPECT_EQ(times.ranks[1].end_ns(0), 620);
  EXPECT_EQ(times.span_ns, 620);
}

TEST(Timeline, DrawsRanksThatLeaveInitLateAsLateInThePredictedRow) {
  // Time 0 of the schedule is 100, where rank 0 leaves MPI_Init; rank 1 leaves it 300 later.
  Analysed run(timed_trace(2,
                           "rank 0\n @0 +100 init\n @200 +50 send to=1\n @300 +10 finalize\n"
                           "rank 1\n @0 +400 init\n @500 +20 recv from=0\n @600 +5 finalize\n"));
  const ExecutionGraph graph = build_graph(run.trace, {});
  LogGPS model;
  model.latency_fs = 500 * kFemtosPerNano;
  model.overhead_fs = 10 * kFemtosPerNano;
  model.gap_per_byte_fs = 0;
  const RunTimes times = scheduled_times(run.trace, graph, model_schedule(graph, model), 100);
  EXPECT_EQ(times.ranks[1].begin_ns(0), 100);  // MPI_Init, cut at the begin of the row
  EXPECT_EQ(times.ranks[1].end_ns(0), 400);
  EXPECT_EQ(times.ranks[1].begin_ns(1), 500);  // after 100 of computation
  EXPECT_EQ(times.ranks[1].end_ns(1), 100 + 100 + 10 + 500 + 10);
  EXPECT_EQ(times.ranks[0].begin_ns(1), 200);
}

}  // namespace
}  // namespace slackline
