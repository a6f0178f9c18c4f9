#include "sim/engine/profile_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/testing/text_graph.h"
#include "sim/network/event_heap.h"
#include "sim/platform/rank_map.h"
#include "sim/platform/read_platform.h"
#include "sim/simulation.h"
#include "sim/smpi_options.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using testing::untimed_trace;

struct Connected {
  const char *kind, *element, *profile;
};

/// Hosts a and b of 1 Gflop/s, link l of 100 MB/s between them without latency.
Platform pair(const std::vector<Connected>& profiles, const std::string& policy = "SHARED") {
  std::string text =
      "<platform version='4.1'><zone id='w' routing='Full'><host id='a' speed='1Gf'/>"
      "<host id='b' speed='1Gf'/><link id='l' bandwidth='100MBps' latency='0' sharing_policy='" +
      policy + "'/><route src='a' dst='b'><link_ctn id='l'/></route>";
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const std::string id = "t" + std::to_string(i);
    text += "<trace id='" + id + "' periodicity='0'>" + profiles[i].profile +
            "</trace><trace_connect kind='" + profiles[i].kind + "' trace='" + id + "' element='" +
            profiles[i].element + "'/>";
  }
  Findings findings;
  return parse_platform_xml(text + "</zone></platform>", "pair.xml", findings);
}

SimulationOptions plain() {
  SimulationOptions options;
  options.model = network_model("raw");
  options.model.envelope = 0;
  options.choose = SmpiOptions{}.collectives();
  return options;
}

double makespan(const std::string& program, const Platform& platform,
                const SimulationOptions& options = plain()) {
  return simulate(untimed_trace(2, program), platform, place_ranks("block:1", platform, 2), options)
      .makespan;
}

constexpr const char* kMessage =
    "rank 0\n send to=1 bytes=10000000\nrank 1\n recv from=0 bytes=10000000\n";

// At 100 MB/s until 40 ms, then 6 MB at 50 MB/s: 160 ms, by either policy.
TEST(ProfileEvents, MessagesTransferAtTheBandwidthOfTheTime) {
  for (const char* policy : {"SHARED", "FATPIPE"}) {
    const Platform platform = pair({{"BANDWIDTH", "l", "0.04 5e7\n"}}, policy);
    for (const bool lazy : {false, true}) {
      for (const bool contention : {false, true}) {
        SimulationOptions options = plain();
        options.model.lazy = lazy;
        options.model.contention = contention;
        EXPECT_NEAR(makespan(kMessage, platform, options), 0.16, 1e-9)
            << policy << lazy << contention;
      }
    }
  }
}

// As in SimGrid, a message keeps the narrowest bandwidth that it began with as its bound: 100 ms at
// 100 MB/s. The next one takes 50 ms at 200 MB/s.
TEST(ProfileEvents, MoreBandwidthIsForTheNextMessage) {
  const Platform platform = pair({{"BANDWIDTH", "l", "0.04 2e8\n"}});
  const std::string twice =
      "rank 0\n send to=1 bytes=10000000\n send to=1 bytes=10000000\n"
      "rank 1\n recv from=0 bytes=10000000\n recv from=0 bytes=10000000\n";
  EXPECT_NEAR(makespan(twice, platform), 0.15, 1e-9);
}

// Factors of a sweep apply to what profiles set: 200 MB/s, then 100 MB/s for 2 MB.
TEST(ProfileEvents, LinksAreScaledAsThePlatformIs) {
  SimulationOptions options = plain();
  options.link_scales = {{.bandwidth = 2}};
  EXPECT_NEAR(makespan(kMessage, pair({{"BANDWIDTH", "l", "0.04 5e7\n"}}), options), 0.06, 1e-9);
}

// 1 Gflop: 0.4 s at full speed, 0.6 Gflop at half: 1.6 s. A change at the start counts from there.
TEST(ProfileEvents, ComputationTakesTheSpeedOfTheTime) {
  const std::string program = "rank 0\n compute 1000000000\n barrier comm=self\nrank 1\n";
  EXPECT_NEAR(makespan(program, pair({{"SPEED", "a", "0.4 0.5\n"}})), 1.6, 1e-9);
  EXPECT_NEAR(makespan(program, pair({{"SPEED", "a", "0 0.5\n"}})), 2, 1e-9);
  EXPECT_NEAR(makespan(program, pair({{"SPEED", "b", "0 0.5\n"}})), 1, 1e-9);
}

// Half speed for 0.1 s, full speed for 0.1 s: 0.15 Gflop a period; 0.33 take two periods and, of
// the third, 0.03 Gflop at half speed.
TEST(ProfileEvents, ProfilesRepeat) {
  const std::string program = "rank 0\n compute 330000000\n barrier comm=self\nrank 1\n";
  for (const char* profile : {"PERIODICITY 0.2\n0 0.5\n0.1 1\n", "0 0.5\n0.1 1\nLOOPAFTER 0.1\n"}) {
    EXPECT_NEAR(makespan(program, pair({{"SPEED", "a", profile}})), 0.46, 1e-9);
  }
}

// 1 ms for a message that leaves before, 3 ms for one after the change.
TEST(ProfileEvents, LatencyIsThatOfTheTimeAtWhichAMessageLeaves) {
  const Platform platform = pair({{"LATENCY", "l", "0 0.001\n0.0005 0.003\n"}});
  SimulationOptions options = plain();
  options.model.tcp_gamma = 0;
  const std::string twice =
      "rank 0\n send to=1 bytes=100000\n send to=1 bytes=100000\n"
      "rank 1\n recv from=0 bytes=100000\n recv from=0 bytes=100000\n";
  EXPECT_NEAR(makespan(twice, platform, options), 0.001 + 0.001 + 0.003 + 0.001, 1e-9);
}

TEST(ProfileEvents, AFailureUnderAProgramIsNamedWithItsTime) {
  const auto said = [](const std::string& program, const Connected& profile) {
    try {
      return "ends at " + std::to_string(makespan(program, pair({profile})));
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(said(kMessage, {"LINK_AVAIL", "l", "0.0125 0\n"}),
              HasSubstr("at 0.0125 s: link 'l', which a message from host 'a' to host 'b' needs"));
  EXPECT_THAT(said(kMessage, {"BANDWIDTH", "l", "0.0125 0\n"}), HasSubstr("has bandwidth 0"));
  for (const Connected& slow : {Connected{"BANDWIDTH", "l", "0 1e-300\n"},
                                {"LATENCY", "l", "0 1e300\n"},
                                {"LATENCY", "l", "0 1e10\n"}}) {
    EXPECT_THAT(said(kMessage, slow), HasSubstr("for more than 292 years")) << slow.profile;
  }
  EXPECT_THAT(said(kMessage, {"HOST_AVAIL", "b", "0.0125 0\n"}),
              HasSubstr("at 0.0125 s: host 'b', on which rank 1 runs, is down"));
  const std::string later =
      "rank 0\n compute 1000000000\n send to=1 bytes=10000000\n"
      "rank 1\n recv from=0 bytes=10000000\n";
  EXPECT_THAT(said(later, {"LINK_AVAIL", "l", "0.5 0\n"}), HasSubstr("at 1 s: link 'l'"));
  EXPECT_EQ(said(later, {"LINK_AVAIL", "l", "0.5 0\n0.9 1\n"}), "ends at 1.100000");
  EXPECT_THAT(said(later, {"SPEED", "a", "0.5 0\n"}), HasSubstr("host 'a'"));
  EXPECT_EQ(said(later, {"HOST_AVAIL", "a", "1.2 0\n"}), "ends at 1.100000");
}

TEST(ProfileEvents, AreInTheOrderOfTheirTimes) {
  const Platform platform =
      pair({{"SPEED", "a", "0.1 0.5\n0.3 1\n"}, {"LATENCY", "l", "0.2 0.001\nLOOPAFTER 0\n"}});
  sim::ProfileEvents events(platform, LinkView(platform, {}));
  for (const double time : {0.1, 0.2, 0.3, 0.4, 0.6}) {
    EXPECT_DOUBLE_EQ(events.next_time(), time);
    EXPECT_DOUBLE_EQ(events.pop().time, time);
  }
  const Platform constant = pair({});
  EXPECT_EQ(sim::ProfileEvents(constant, LinkView(constant, {})).next_time(), EventHeap::kNever);
}

}  // namespace
}  // namespace slackline
