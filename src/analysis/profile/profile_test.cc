#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <string_view>

#include "analysis/profile/message_profile.h"
#include "analysis/profile/time_profile.h"
#include "formats/text/text.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr std::string_view kProfiledRun =
    "slackline-trace 1 timed ranks=2\n"
    "rank 0\n@0 +100 init\n@150 enter \"solve\"\n@1100 enter \"halo\"\n"
    "@1200 +500 send to=1 tag=3 bytes=8\n@1900 leave \"halo\"\n@2350 leave \"solve\"\n"
    "@2600 +10 finalize\n"
    "rank 1\n@0 +100 init\n@150 enter \"solve\"\n@200 +1600 recv from=0 tag=3 bytes=8\n"
    "@2350 leave \"solve\"\n@2600 +10 finalize\n";

using Entries = std::map<std::string, std::pair<std::uint64_t, std::int64_t>>;

Entries entries_of(const FlatProfile& profile, std::size_t rank) {
  Entries entries;
  for (std::size_t kind = 0; kind < profile.kinds.kinds.size(); ++kind) {
    const ProfileEntry& entry = profile.by_rank[rank][kind];
    if (entry.count > 0) {
      entries[profile.kinds.kinds[kind].name] = {entry.count, entry.time_ns};
    }
  }
  return entries;
}

TEST(TimeProfile, ExclusiveTimesAddUpToTheRun) {
  const Trace trace = read_text(kProfiledRun, "test");
  const FlatProfile profile = flat_profile(trace, CallPaths(trace));
  EXPECT_THAT(entries_of(profile, 0),
              ElementsAre(Pair("MPI_Finalize", Pair(1, 10)), Pair("MPI_Init", Pair(1, 100)),
                          Pair("MPI_Send", Pair(1, 500)), Pair("computation", Pair(2, 300)),
                          Pair("halo", Pair(2, 300)), Pair("solve", Pair(2, 1400))));
  EXPECT_THAT(entries_of(profile, 1),
              ElementsAre(Pair("MPI_Finalize", Pair(1, 10)), Pair("MPI_Init", Pair(1, 100)),
                          Pair("MPI_Recv", Pair(1, 1600)), Pair("computation", Pair(2, 300)),
                          Pair("solve", Pair(2, 600))));
}

TEST(CounterProfile, GainsAreDividedAmongThePathsOfTheirTime) {
  TraceBuilder builder(1, true);
  const std::uint32_t solve = builder.region_id("solve");
  const std::size_t counter = builder.add_counter("PAPI_TOT_INS");
  RankCallsBuilder& calls = builder.calls(0);
  calls.append_region({100, solve, 0, true});
  calls.append({.operation = Operation::barrier, .begin_ns = 400, .end_ns = 500});
  calls.append_region({600, solve, 1, false});
  calls.append({.operation = Operation::barrier, .begin_ns = 700, .end_ns = 800});
  calls.set_counter(counter, {4000, 10});
  const Trace trace = std::move(builder).build();
  const auto by_path = path_counters(trace, CallPaths(trace));
  ASSERT_EQ(by_path.size(), 2u);
  EXPECT_EQ(by_path[0].computation_ns, 100 + 100);
  EXPECT_EQ(by_path[1].computation_ns, 300 + 100);
  EXPECT_EQ(by_path[0].gains[0], 1000 + 5) << "a quarter of the first gap, half of the second";
  EXPECT_EQ(by_path[1].gains[0], 3000 + 5);
  EXPECT_TRUE(path_counters(read_text(kProfiledRun, "test"), CallPaths(trace)).empty());
}

TEST(TimeProfile, StretchesCountInEachWindowByTheirPart) {
  const Trace trace = read_text(kProfiledRun, "test");
  const WindowProfile profile = window_profile(trace, CallPaths(trace), {0, 2610}, 2);
  EXPECT_THAT(profile.edges_ns, ElementsAre(0, 1305, 2610));
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> windows;
  for (std::size_t kind = 0; kind < profile.kinds.kinds.size(); ++kind) {
    windows[profile.kinds.kinds[kind].name] = {profile.by_window_ns[0][kind],
                                               profile.by_window_ns[1][kind]};
  }
  EXPECT_THAT(windows["MPI_Send"], Pair(105, 395));
  EXPECT_THAT(windows["MPI_Recv"], Pair(1105, 495));
  EXPECT_THAT(windows["solve"], Pair(950 + 50, 450 + 550));
  EXPECT_THAT(windows["halo"], Pair(100, 200));
  EXPECT_THAT(windows["computation"], Pair(50 + 50, 250 + 250));
}

TEST(TimeProfile, EveryWindowIsFull) {
  const Trace trace = read_text(kProfiledRun, "test");
  const WindowProfile profile = window_profile(trace, CallPaths(trace), {0, 2610}, 7);
  for (std::size_t window = 0; window < 7; ++window) {
    const auto& times = profile.by_window_ns[window];
    EXPECT_EQ(std::accumulate(times.begin(), times.end(), std::int64_t{0}),
              2 * (profile.edges_ns[window + 1] - profile.edges_ns[window]));
  }
}

TEST(TimeProfile, CallPathsHaveWhatRunsInThemselves) {
  const Trace trace = read_text(kProfiledRun, "test");
  const CallPaths paths(trace);
  const auto profile = path_profile(trace, paths);
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> times;
  for (PathId path = 0; path < paths.size(); ++path) {
    times[paths.name(path)] = {profile[path].mpi.time_ns, profile[path].computation.time_ns};
  }
  EXPECT_THAT(times, ElementsAre(Pair("", Pair(220, 600)), Pair("solve", Pair(1600, 2000)),
                                 Pair("solve/halo", Pair(500, 300))));
}

TEST(TimeProfile, FunctionsAreThoseOfTheCallPaths) {
  const Trace trace = read_text(
      "slackline-trace 1 timed ranks=1\n"
      "frame 1 0 main line=3\nframe 2 1 relax line=7\n"
      "rank 0\n@0 +5 init frame=1\n@10 +5 barrier frame=2\n@30 +5 barrier frame=2\n"
      "@50 +5 finalize frame=1\n",
      "test");
  const FlatProfile profile = flat_profile(trace, CallPaths::of_regions_or_functions(trace));
  EXPECT_THAT(entries_of(profile, 0),
              ElementsAre(Pair("MPI_Barrier", Pair(2, 10)), Pair("MPI_Finalize", Pair(1, 5)),
                          Pair("MPI_Init", Pair(1, 5)), Pair("main", Pair(2, 5 + 15)),
                          Pair("relax", Pair(1, 15))));
}

constexpr std::string_view kProfiledMessages =
    "slackline-trace 1 timed ranks=3\n"
    "rank 0\n@0 +1 send to=2 tag=0 bytes=8\n@5 +1 isend to=1 tag=0 bytes=24 req=1\n"
    "@10 +1 send to=null tag=0 bytes=99\n@20 +1 send to=2 tag=0 bytes=16\n"
    "rank 1\n@7 +1 recv from=0 tag=0 bytes=24\n"
    "rank 2\n";

TEST(MessageProfile, PairsHaveWhatTheirSourceSends) {
  std::vector<std::vector<std::uint64_t>> pairs;
  for (const PairTotals& p : sent_by_pair(read_text(kProfiledMessages, "test"))) {
    pairs.push_back({static_cast<std::uint64_t>(p.source),
                     static_cast<std::uint64_t>(p.destination), p.messages, p.bytes});
  }
  EXPECT_THAT(pairs, ElementsAre(ElementsAre(0, 1, 1, 24), ElementsAre(0, 2, 2, 24)));
}

TEST(MessageProfile, BinsContainTheirLowerEdgeAndTheLastOneBoth) {
  const Trace trace = read_text(kProfiledMessages, "test");
  const Histogram sizes = messages_by_size(trace, 2);
  EXPECT_THAT(sizes.edges, ElementsAre(8, 16, 24));
  EXPECT_THAT(sizes.messages, ElementsAre(1, 2));
  EXPECT_THAT(sizes.bytes, ElementsAre(8, 40));
  const Histogram times = messages_by_time(trace, {0, 20}, 4);
  EXPECT_THAT(times.edges, ElementsAre(0, 5, 10, 15, 20));
  EXPECT_THAT(times.messages, ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(messages_by_time(trace, {1, 10}, 1).messages, ElementsAre(1));
}

TEST(MessageProfile, MessagesOfOneSizeAndNone) {
  const Trace one =
      read_text("slackline-trace 1 timed ranks=1\nrank 0\n@0 +1 send to=0 tag=0 bytes=8\n", "test");
  EXPECT_THAT(messages_by_size(one, 2).edges, ElementsAre(7.5, 8, 8.5));
  EXPECT_THAT(messages_by_size(one, 2).messages, ElementsAre(0, 1));
  const Trace none = read_text("slackline-trace 1 timed ranks=1\nrank 0\n", "test");
  EXPECT_THAT(messages_by_size(none, 3).messages, ElementsAre(0, 0, 0));
  EXPECT_TRUE(sent_by_pair(none).empty());
}

}  // namespace
}  // namespace slackline
