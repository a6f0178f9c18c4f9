#include "sim/network/link_usage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "graph/testing/text_graph.h"
#include "sim/platform/rank_map.h"
#include "sim/simulation.h"
#include "sim/smpi_options.h"
#include "sim/testing/star.h"

namespace slackline {
namespace {

using testing::star;
using testing::untimed_trace;

TEST(SlowedMessages, KeepsThoseThatLostMostInThatOrder) {
  SlowedMessages kept(2);
  for (const double lost : {1.0, 3.0, 2.0, 0.5}) {
    const SlowedMessage message{.began = lost, .lasted = 1 + lost, .alone = 1};
    if (kept.wants(message.lost())) kept.add(message);
  }
  const std::vector<SlowedMessage> messages = kept.sorted();
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].lost(), 3);
  EXPECT_EQ(messages[1].lost(), 2);
}

TEST(SlowedMessages, OfEqualsTheEarlierComesFirst) {
  SlowedMessages kept(3);
  for (const double began : {2.0, 1.0}) kept.add({.began = began, .lasted = 3, .alone = 1});
  EXPECT_EQ(kept.sorted()[0].began, 1);
}

TEST(SlowedMessages, NoneAreKeptWhereNoneAreWanted) {
  EXPECT_FALSE(SlowedMessages(0).wants(1));
}

TEST(CostliestLink, IsTheOneThatCostsMoreThanAllOthers) {
  CostliestLink costliest;
  EXPECT_EQ(costliest.link(), kNoLink);
  for (const auto& [link, lost] : {std::pair<LinkId, double>{0, 2}, {1, 3}, {0, 1}, {1, 1}}) {
    costliest.add(link, lost);
  }
  EXPECT_EQ(costliest.link(), 1U);
}

// Three hosts whose cables of 1 GB/s have no latency. In this model nothing is added to a message.
Simulation simulated(const Trace& trace, const Platform& platform) {
  SimulationOptions options;
  options.model = network_model("raw");
  options.model.envelope = 0;
  options.choose = SmpiOptions{}.collectives();
  options.link_usage = true;
  options.slowed_kept = 8;
  const RankMap hosts = place_ranks("block:1", platform, static_cast<std::uint32_t>(trace.ranks()));
  return simulate(trace, platform, hosts, options);
}

// Two messages of a million bytes meet in c's cable: half of it each for 1 ms, until the shorter
// one of half a million has arrived; the longer one then needs 0.5 ms more.
TEST(SlowedMessages, AreSharedAndAloneAsDerivedByHand) {
  const Trace trace = untimed_trace(3,
                                    "rank 0\n send to=2 bytes=1000000\n"
                                    "rank 1\n send to=2 bytes=500000\n"
                                    "rank 2\n irecv from=0 bytes=1000000 req=1\n"
                                    " irecv from=1 bytes=500000 req=2\n waitall reqs=1,2\n");
  const Platform platform = star("0us");
  const Simulation s = simulated(trace, platform);
  ASSERT_EQ(s.slowed.size(), 2U);
  EXPECT_EQ(s.slowed[0].sender + s.slowed[1].sender, 1);
  for (const SlowedMessage& m : s.slowed) {
    EXPECT_EQ(m.receiver, 2);
    EXPECT_EQ(m.bytes, m.sender == 0 ? 1'000'000U : 500'000U);
    EXPECT_EQ(m.began, 0);
    EXPECT_NEAR(m.lasted, m.sender == 0 ? 1.5e-3 : 1e-3, 1e-12);
    EXPECT_NEAR(m.alone, m.sender == 0 ? 1e-3 : 0.5e-3, 1e-12);
    EXPECT_EQ(platform.link_name(m.limited_by), "to c");
  }
}

}  // namespace
}  // namespace slackline
