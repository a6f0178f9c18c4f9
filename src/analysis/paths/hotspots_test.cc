#include "analysis/paths/hotspots.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "analysis/paths/path_functions.h"
#include "analysis/waits/sampled_causes.h"
#include "base/error.h"
#include "calls/computation_code.h"
#include "formats/text/text.h"

namespace slackline {
namespace {

// main calls solve (at line 10), which sends (20) and runs kernel (30) and, in a library without
// source, exp; main calls MPI itself at line 12.
const std::string kTree =
    "frame 1 0 main file=a.c line=10 module=a\n"
    "frame 2 1 solve file=a.c line=20 module=a\n"
    "frame 3 0 main file=a.c line=12 module=a\n"
    "frame 4 1 solve file=a.c line=25 module=a\n"
    "frame 5 4 kernel file=k.c line=30 module=a\n"
    "frame 6 4 kernel file=k.c line=31 module=a\n"
    "frame 7 5 exp module=libm.so\n";

struct Recording {
  explicit Recording(int ranks, const std::string& text, const std::string& tree = kTree)
      : trace(
            read_text("slackline-trace 1 timed ranks=" + std::to_string(ranks) + "\n" + tree + text,
                      "test", &samples)),
        code(trace, &samples),
        run_code(trace, &samples) {}

  Hotspots hotspots(CodeUnit unit, TimeInterval interval = {0, 1'000'000}) const {
    return slackline::hotspots(trace, run_code, path(), unit, interval);
  }
  CriticalPath path() const {
    return critical_path(trace, CallMatching(trace), run_code.paths(),
                         {.extent = PathExtent::segments});
  }

  Samples samples;
  Trace trace;
  ComputationCode code;
  RunCode run_code;
};

const Hotspot* find(const Hotspots& h, const Trace& trace, const std::string& function) {
  for (const Hotspot& s : h.spots) {
    if (s.frame != 0 && trace.call_tree().location(s.frame).function == function) return &s;
  }
  return nullptr;
}

TEST(Hotspots, WithoutSamplesComputationIsThatOfTheCommonFunction) {
  // 0 to 100 before the first call: solve; then 50 between a call in solve and one in main: main.
  const Recording run(1, "rank 0\n @100 +5 barrier frame=2\n @155 +10 barrier frame=3\n");
  const Hotspots h = run.hotspots(CodeUnit::function);
  EXPECT_EQ(h.source, CodeSource::call_paths);
  EXPECT_EQ(h.path_ns, 165);
  const Hotspot* solve = find(h, run.trace, "solve");
  ASSERT_NE(solve, nullptr);
  EXPECT_EQ(solve->computation.exclusive_ns, 100);
  EXPECT_EQ(solve->mpi.exclusive_ns, 5);
  EXPECT_EQ(solve->path.exclusive_ns, 105);
  const Hotspot* main = find(h, run.trace, "main");
  ASSERT_NE(main, nullptr);
  EXPECT_EQ(main->computation.exclusive_ns, 50);
  EXPECT_EQ(main->computation.inclusive_ns, 150);
  EXPECT_EQ(main->path.inclusive_ns, 165);
  EXPECT_EQ(main->mpi.inclusive_ns, 15);
}

// A rank computes 1000 in front of each of two calls of solve; samples: 3/4 kernel, 1/4 exp.
const std::string kSampled =
    " @200 sample cpu=250 frame=5\n @400 sample cpu=250 frame=5\n @600 sample cpu=250 frame=6\n"
    " @800 sample cpu=250 frame=7\n @1000 +10 barrier frame=2\n @2010 +10 barrier frame=2\n";

TEST(Hotspots, SamplesSayWhereComputationIs) {
  const Recording run(1, "rank 0\n" + kSampled);
  const Hotspots h = run.hotspots(CodeUnit::function);
  EXPECT_EQ(h.source, CodeSource::samples);
  EXPECT_EQ(find(h, run.trace, "kernel")->computation.exclusive_ns, 750);
  EXPECT_EQ(find(h, run.trace, "kernel")->computation.inclusive_ns, 1000);
  EXPECT_EQ(find(h, run.trace, "exp")->computation.exclusive_ns, 250);
  // No stretch between two calls of solve was sampled: the function that both have in common.
  EXPECT_EQ(find(h, run.trace, "solve")->computation.exclusive_ns, 1000);
  EXPECT_EQ(h.computation_ns, 2000);
  // The hottest line stands for the function.
  EXPECT_EQ(run.trace.call_tree().location(find(h, run.trace, "kernel")->frame).line, 30u);
  const Hotspots lines = run.hotspots(CodeUnit::line);
  EXPECT_EQ(find(lines, run.trace, "kernel")->computation.exclusive_ns, 500);
  const Hotspots modules = run.hotspots(CodeUnit::module);
  EXPECT_EQ(modules.spots.size(), 2u);
}

TEST(Hotspots, StretchesWithoutSamplesAreLikeOthersBetweenTheSameCalls) {
  std::string text = "rank 0\n";
  std::string other = "rank 1\n";
  for (int i = 1; i <= 10; ++i) {
    const std::string begin = std::to_string(1000 * i);
    if (i == 4) text += " @3500 sample cpu=5000 frame=6\n";
    text += " @" + begin + " +0 barrier frame=2\n";
    other += " @" + begin + " +0 barrier frame=2\n";
  }
  const Recording run(2, text + other);
  for (const std::int32_t rank : {0, 1}) {
    int parts = 0;
    run.code.split(rank, 7, 1000, [&](FrameId frame, std::int64_t ns) {
      ++parts;
      EXPECT_EQ(frame, 6u);
      EXPECT_EQ(ns, 1000);
    });
    EXPECT_EQ(parts, 1);
  }
}

TEST(Hotspots, RecursionCountsOnce) {
  const Recording run(1, "rank 0\n @100 +10 barrier frame=3\n",
                      "frame 1 0 f file=a.c line=1\nframe 2 1 f file=a.c line=1\n"
                      "frame 3 2 f file=a.c line=2\n");
  const Hotspots h = run.hotspots(CodeUnit::function);
  ASSERT_EQ(h.spots.size(), 1u);
  EXPECT_EQ(h.spots[0].path.inclusive_ns, 110);
  EXPECT_EQ(h.spots[0].path.exclusive_ns, 110);
  EXPECT_EQ(run.hotspots(CodeUnit::call_path).spots.size(), 3u);
}

TEST(Hotspots, WithoutCallPathsAreRegions) {
  // 40 outside, 30 in solve, 30 in kernel within it, where the rank also calls MPI; then 10
  // outside.
  const Recording run(
      1,
      "rank 0\n @0 +0 init\n @40 enter solve\n @70 enter kernel\n @100 +20 barrier\n"
      " @120 leave kernel\n @120 leave solve\n @130 +0 finalize\n",
      "");
  ASSERT_TRUE(run.run_code.known());
  const Hotspots h = run.hotspots(CodeUnit::function);
  EXPECT_EQ(h.source, CodeSource::regions);
  std::map<std::string, std::pair<CodeTime, CodeTime>> spots;  // computation, path
  for (const Hotspot& s : h.spots) {
    const CallTree& tree = run.run_code.tree();
    spots[s.frame == 0 ? "" : tree.location(s.frame).function] = {s.computation, s.path};
  }
  ASSERT_EQ(spots.size(), 3u);
  EXPECT_EQ(spots["kernel"].first.exclusive_ns, 30);
  EXPECT_EQ(spots["kernel"].second.exclusive_ns, 50);
  EXPECT_EQ(spots["solve"].first.exclusive_ns, 30);
  EXPECT_EQ(spots["solve"].first.inclusive_ns, 60);
  EXPECT_EQ(spots["solve"].second.inclusive_ns, 80);
  EXPECT_EQ(spots[""].first.exclusive_ns, 50);
  EXPECT_EQ(h.path_ns, 130);
}

TEST(Hotspots, CountWhatIsInTheAnalysedInterval) {
  // 100 in solve, of which the interval has the last 60; 2 of the barrier's 5.
  const Recording run(1, "rank 0\n @100 +5 barrier frame=2\n @155 +10 barrier frame=3\n");
  const Hotspots h = run.hotspots(CodeUnit::function, {40, 102});
  EXPECT_EQ(h.path_ns, 62);
  EXPECT_EQ(h.computation_ns, 60);
  EXPECT_EQ(h.mpi_ns, 2);
  ASSERT_EQ(h.spots.size(), 2u);  // solve, and main around it
  EXPECT_EQ(h.spots[0].path.exclusive_ns, 62);
}

TEST(Hotspots, OfAnUnknownUnitIsWrongUsage) {
  EXPECT_THROW(parse_code_unit("file", "--by"), Error);
  EXPECT_EQ(parse_code_unit("call-path", "--by"), CodeUnit::call_path);
}

TEST(PathFunctions, AreThoseOfTheSamples) {
  const Recording run(1, "rank 0\n" + kSampled);
  const auto functions = path_functions(run.path(), run.trace, run.code, {0, 1000}, true);
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].frame, 5u);  // kernel, at the line with most of it
  EXPECT_EQ(functions[0].time_ns, 750);
  EXPECT_EQ(functions[1].time_ns, 250);
}

TEST(PathFunctions, RunNothingWhileARankHasNotStarted) {
  const Recording run(1, "rank 0\n" + kSampled);
  CriticalPath path = run.path();
  for (ActivitySegment& s : path.segments) s.late_start = true;
  EXPECT_TRUE(path_functions(path, run.trace, run.code, {0, 1000}, true).empty());
}

TEST(SampledCauses, AreWhereTheLateRankSpendsMoreThanTheMean) {
  // Both ranks spend 600 at line 20 of solve; rank 0 another 400 in exp, called by kernel.
  const Recording run(
      2,
      "rank 0\n @300 sample cpu=600 frame=2\n @600 sample cpu=400 frame=7\n @1000 +5 barrier "
      "frame=2\nrank 1\n @300 sample cpu=600 frame=2\n @600 +405 barrier frame=2\n");
  const CallPaths paths = CallPaths::of_functions(run.trace);
  const CallActivities names(run.trace, paths);
  const std::pair<std::int32_t, ActivityId> late{0, names.of(0, 0).gap};
  const SampledCauses sums(run.trace.call_tree(), run.trace.ranks(), std::span(&late, 1));
  const auto causes = sums.find(sums.times_of(run.trace, names, run.code, {}));
  ASSERT_TRUE(causes.contains(late));
  EXPECT_EQ(run.trace.call_tree().location(causes.at(late).frame).function, "kernel");
  EXPECT_DOUBLE_EQ(causes.at(late).share, 1);
}

TEST(SampledCauses, AreTheLongestFunctionWhereTheRankDoesNoMoreThanTheOthers) {
  // Rank 0 spends 600 in kernel and 20 in solve, rank 1 600 and none: by chance. With 400 in solve
  // rank 0 does more there, which counts.
  const auto function = [](int in_solve) {
    const Recording run(
        2, fmt::format("rank 0\n @300 sample cpu=600 frame=5\n @600 sample cpu={} frame=2\n @1000 "
                       "+5 barrier frame=2\nrank 1\n @300 sample cpu=600 frame=5\n @600 +405 "
                       "barrier frame=2\n",
                       in_solve));
    const CallPaths paths = CallPaths::of_functions(run.trace);
    const CallActivities names(run.trace, paths);
    const std::pair<std::int32_t, ActivityId> late{0, names.of(0, 0).gap};
    const SampledCauses sums(run.trace.call_tree(), run.trace.ranks(), std::span(&late, 1));
    const auto causes = sums.find(sums.times_of(run.trace, names, run.code, {}));
    return run.trace.call_tree().location(causes.at(late).frame).function;
  };
  EXPECT_EQ(function(20), "kernel");
  EXPECT_EQ(function(400), "solve");
}

// Both stretches lie between the same two places. The first has 20 samples, all of kernel; the
// second has one, of solve, and is shared out as both together: half of it is kernel.
TEST(ComputationCode, SharesOutAStretchOfManySamplesByItsOwn) {
  std::string text = "rank 0\n @0 +5 barrier frame=2\n";
  for (int i = 1; i <= 20; ++i) {
    text += fmt::format(" @{} sample cpu=50 frame=5\n", 5 + 49 * i);
  }
  const Recording run(1, text +
                             " @1005 +5 barrier frame=2\n @1500 sample cpu=1000 frame=2\n"
                             " @2010 +5 barrier frame=2\n");
  const auto times = [&](std::uint32_t call) {
    std::map<std::string, std::int64_t> by_function;
    run.code.split(0, call, 1000, [&](FrameId frame, std::int64_t ns) {
      by_function[run.trace.call_tree().location(frame).function] += ns;
    });
    return by_function;
  };
  EXPECT_EQ(times(1), (std::map<std::string, std::int64_t>{{"kernel", 1000}}));
  EXPECT_EQ(times(2), (std::map<std::string, std::int64_t>{{"kernel", 500}, {"solve", 500}}));
}

// 1000 ns before the barrier, 700 of them asleep in solve; the samples found kernel.
TEST(ComputationCode, DistinguishesWhereARankIsBlocked) {
  const Recording run(1,
                      "rank 0\n @100 sample cpu=300 frame=5\n @300 +700 pause blocked\n"
                      " @1000 sample blocked=700 frame=2\n @1000 +5 barrier frame=2\n");
  std::map<std::string, std::int64_t> all, computed;
  const auto into = [&](std::map<std::string, std::int64_t>& times) {
    return [&](FrameId frame, std::int64_t ns) {
      times[run.trace.call_tree().location(frame).function] += ns;
    };
  };
  run.code.split_gap(0, 0, 1000, into(all));
  run.code.split(0, 0, 300, into(computed));
  EXPECT_EQ(all, (std::map<std::string, std::int64_t>{{"kernel", 300}, {"solve", 700}}));
  EXPECT_EQ(computed, (std::map<std::string, std::int64_t>{{"kernel", 300}}));
}

}  // namespace
}  // namespace slackline
