#include "page/simulated_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "analysis/model/prediction.h"
#include "graph/build.h"
#include "graph/testing/text_graph.h"
#include "sim/platform/rank_map.h"
#include "sim/platform/read_platform.h"
#include "sim/smpi_options.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;
using testing::timed_trace;

// One wire of 1 GB/s without latency between two hosts; messages share it. SMPI adds 16 bytes to
// each message.
constexpr const char* kWire =
    "<platform version='4.1'><zone id='w' routing='Full'>"
    "<host id='a' speed='1Gf' core='2'/><host id='b' speed='1Gf' core='2'/>"
    "<link id='wire' bandwidth='1GBps' latency='0us'/>"
    "<route src='a' dst='b'><link_ctn id='wire'/></route></zone></platform>";

struct Simulated {
  explicit Simulated(Trace t)
      : trace(std::move(t)), platform(parse_platform_xml(kWire, "wire.xml", findings)) {
    SimulationOptions options;
    options.model = network_model("raw");
    options.choose = SmpiOptions{}.collectives();
    options.record = options.link_usage = true;
    const RankMap hosts =
        place_ranks("cyclic:2", platform, static_cast<std::uint32_t>(trace.ranks()));
    simulation = simulate(trace, platform, hosts, options);
  }
  SimulatedRun run() const { return {simulation, platform, "wire.xml", 8}; }

  Findings findings;
  Trace trace;
  Platform platform;
  Simulation simulation;
};

// Rank 0 computes 1 us and sends a million bytes and 16, which take 1 ms and 16 ns; rank 1 waits
// from 0 on.
constexpr const char* kOneMessage =
    "rank 0\n @1000 +5 send to=1 bytes=1000000\n"
    "rank 1\n @0 +7 recv from=0 bytes=1000000\n";

TEST(SimulatedRun, IsDrawnWithItsOwnTimesWaitsAndPath) {
  const Simulated s(timed_trace(2, kOneMessage));
  const CallMatching matching(s.trace);
  const SimulatedRow row(s.trace, matching, s.run());
  constexpr std::int64_t kOffset = 500;
  const TimelineRun drawn = row.drawn(kOffset);
  EXPECT_EQ(drawn.id, "simulated");
  EXPECT_EQ(drawn.times.ranks[0].begin_ns(0), kOffset + 1000);
  EXPECT_EQ(drawn.times.ranks[1].begin_ns(0), kOffset);
  EXPECT_NEAR(static_cast<double>(drawn.times.ranks[1].end_ns(0)), kOffset + 1'001'016, 2);
  EXPECT_NEAR(static_cast<double>(drawn.times.span_ns), kOffset + 1'001'016, 2);
  ASSERT_NE(drawn.waits, nullptr);
  std::int64_t waited = 0;
  for (const WaitState& w : drawn.waits->states) {
    if (w.rank == 1 && w.pattern == WaitPattern::late_sender) waited += w.wait_ns;
  }
  EXPECT_EQ(waited, 1000) << "the simulated sender comes 1 us late";
  ASSERT_FALSE(drawn.path.empty());
  EXPECT_EQ(drawn.path.front().begin_ns, kOffset);
  EXPECT_EQ(drawn.path.front().rank, 0) << "it begins with the sender's computation";
}

TEST(SimulatedRun, ShowsTheUseOfItsLinks) {
  const Simulated s(timed_trace(2, kOneMessage));
  constexpr std::int64_t kOffset = 500;
  const auto strips = link_strips(s.run(), kOffset);
  ASSERT_EQ(strips.size(), 1u);
  EXPECT_THAT(strips[0].name, HasSubstr("wire"));
  EXPECT_EQ(strips[0].run, "simulated");
  EXPECT_EQ(strips[0].from_ns, kOffset);
  const double sum = std::accumulate(strips[0].values.begin(), strips[0].values.end(), 0.0);
  // A million bytes and 16 at a byte a nanosecond, however the stretches lie (single precision).
  EXPECT_NEAR(sum * strips[0].width_ns, 1'000'016, 1);
}

TEST(SimulatedRun, SaysWhatContentionCosts) {
  // Two messages of 1 ms each share the wire from the same moment on: both take twice as long.
  const Simulated s(timed_trace(4,
                                "rank 0\n @1000 +5 send to=1 bytes=1000000\n"
                                "rank 1\n @0 +7 recv from=0 bytes=1000000\n"
                                "rank 2\n @1000 +5 send to=3 bytes=1000000\n"
                                "rank 3\n @0 +7 recv from=2 bytes=1000000\n"));
  const ExecutionGraph graph = build_graph(s.trace, {});
  const Report report = simulation_report(s.run(), s.trace, predict(s.trace, graph, {}));
  EXPECT_NEAR(report.result["simulation"]["makespan_ns"].as_double(), 2'001'032, 2);
  ASSERT_EQ(report.sections.size(), 1u);
  const auto& said = std::get<Paragraph>(report.sections[0].items[1]).text;
  EXPECT_THAT(said, HasSubstr("100.0 % of 2 messages were slowed down"));
  EXPECT_THAT(said, HasSubstr("2 times as long as each alone"));
  EXPECT_THAT(said, HasSubstr("link wire"));
  ASSERT_FALSE(report.sections[0].children.empty());
  EXPECT_EQ(report.sections[0].children[0].id, "simulated-links");
}

}  // namespace
}  // namespace slackline
