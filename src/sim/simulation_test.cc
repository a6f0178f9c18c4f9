#include "sim/simulation.h"

#include <gtest/gtest.h>

#include "formats/testing/text_trace.h"
#include "graph/testing/text_graph.h"
#include "sim/platform/rank_map.h"
#include "sim/platform/read_platform.h"
#include "sim/smpi_options.h"
#include "sim/testing/star.h"

namespace slackline {
namespace {

using testing::star;
using testing::timed_trace;
using testing::untimed_trace;

// Links have a latency, but messages do not wait for it: they share c's cable from the beginning,
// whichever way rates are brought up to date. Half of it each for 1 ms; then the longer one needs
// 0.5 ms more.
TEST(Simulation, MessagesThatNoLatencyDelaysShareAtOnce) {
  const Trace trace = untimed_trace(3,
                                    "rank 0\n send to=2 bytes=1000000\n"
                                    "rank 1\n send to=2 bytes=500000\n"
                                    "rank 2\n irecv from=0 bytes=1000000 req=1\n"
                                    " irecv from=1 bytes=500000 req=2\n waitall reqs=1,2\n");
  const Platform platform = star("5us");
  for (const bool lazy : {false, true}) {
    SimulationOptions options;
    options.model = network_model("raw");
    options.model.envelope = 0;
    options.model.latency_factor = Piecewise("0", "a test's factor");
    options.model.lazy = lazy;
    options.choose = SmpiOptions{}.collectives();
    const Simulation s = simulate(trace, platform, place_ranks("block:1", platform, 3), options);
    EXPECT_NEAR(s.makespan, 1.5e-3, 1e-9) << (lazy ? "lazy" : "full");
  }
}

TEST(Simulation, ComputesAfterTheLastCallOfARunWithoutFinalize) {
  const Trace trace = timed_trace(3,
                                  "rank 0 unfinalized stop=300\n @0 +100 init\n"
                                  " @150 +5 barrier comm=self\n"
                                  "rank 1\n @0 +100 init\n @120 +5 finalize\nrank 2\n");
  const Platform platform = star("5us");
  SimulationOptions options;
  options.choose = SmpiOptions{}.collectives();
  const Simulation s = simulate(trace, platform, place_ranks("block:1", platform, 3), options);
  EXPECT_NEAR(s.rank_end[0], 195e-9, 1e-12);  // 50 before the barrier, 145 after it
  EXPECT_NEAR(s.rank_end[1], 20e-9, 1e-12);
}

// smpi/async-small-thresh: smaller messages leave without their receive, which is posted after 1 s.
TEST(Simulation, MessagesBelowTheThresholdDoNotWaitForTheirReceive) {
  const Platform platform = star("5us");
  const auto sender_end = [&](const std::string& mode, int bytes) {
    const std::string size = " bytes=" + std::to_string(bytes);
    const Trace trace = untimed_trace(3, "rank 0\n " + mode + " to=2" + size +
                                             "\nrank 1\n barrier comm=self\n"
                                             "rank 2\n compute 1000000000\n recv from=0" +
                                             size + "\n");
    SmpiOptions smpi;
    smpi.set("smpi/async-small-thresh:1000", "in a test");
    smpi.set("smpi/send-is-detached-thresh:0", "in a test");
    SimulationOptions options;
    options.model = smpi.model();
    options.choose = smpi.collectives();
    return simulate(trace, platform, place_ranks("block:1", platform, 3), options).rank_end[0];
  };
  EXPECT_LT(sender_end("send", 999), 0.1);
  EXPECT_GT(sender_end("send", 1000), 1.0);
  EXPECT_GT(sender_end("ssend", 999), 1.0);
}

// A look at the messages of other ranks that takes no time (smpi/iprobe:0) adds nothing to its
// rank's overhead, whatever the rank did before.
TEST(Simulation, TimesAddUpToTheMakespanWhereProbesTakeNoTime) {
  const std::string bcast = " bcast root=0 bytes=100000 elem=1\n";
  const Trace trace = untimed_trace(4, "rank 0\n compute 1000000\n" + bcast + " compute 5000000\n" +
                                           bcast + "rank 1\n" + bcast + " compute 3000000\n" +
                                           bcast + "rank 2\n compute 2000000\n" + bcast + bcast +
                                           "rank 3\n" + bcast + " compute 9000000\n" + bcast);
  Findings findings;
  const Platform platform = parse_platform_xml(
      "<platform version='4.1'><zone id='w' routing='Full'><cluster id='c' prefix='n' suffix='' "
      "radical='0-3' speed='1Gf' bw='1GBps' lat='5us'/></zone></platform>",
      "cluster.xml", findings);
  SmpiOptions smpi;
  smpi.set("smpi/bcast:arrival_pattern_aware", "in a test");
  smpi.set("smpi/iprobe:0", "in a test");
  SimulationOptions options;
  options.model = smpi.model();
  options.choose = smpi.collectives();
  const Simulation s = simulate(trace, platform, place_ranks("block:1", platform, 4), options);
  for (const RankTimes& t : s.ranks) {
    EXPECT_NEAR(t.compute + t.overhead + t.transfer + t.wait, s.makespan, 1e-9);
  }
}

}  // namespace
}  // namespace slackline
