#include "sim/engine/processors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/findings.h"
#include "sim/platform/read_platform.h"

namespace slackline {
namespace {

constexpr double kPrecision = 1e-12;

/// One host of 1 Gflop/s per core.
Platform host_of(int cores) {
  Findings findings;
  return parse_platform_xml(
      "<platform version='4.1'><zone id='w' routing='Full'><host id='a' "
      "speed='1Gf' core='" +
          std::to_string(cores) + "'/></zone></platform>",
      "host.xml", findings);
}

/// The next end: its id and time; shares are computed again after it.
Processors::Ended next_end(Processors& processors) {
  std::vector<Processors::Ended> ended;
  const double time = processors.next_time();
  processors.advance(std::nextafter(time, 2 * time), ended);
  EXPECT_EQ(ended.size(), 1u);
  processors.update_shares(time);
  return ended.at(0);
}

void expect_end(Processors& processors, std::uint32_t id, double time) {
  const Processors::Ended ended = next_end(processors);
  EXPECT_EQ(ended.id, id);
  EXPECT_NEAR(ended.time, time, kPrecision);
}

// Alone 1 s of the first, which has 1 s left; both at half the rate until the second ends at 2 s;
// then the first has half a second left.
TEST(Processors, ShareACore) {
  const Platform platform = host_of(1);
  Processors processors(platform);
  processors.start(0, 0, 2e9, 0);
  processors.update_shares(0);
  EXPECT_NEAR(processors.next_time(), 2, kPrecision);
  processors.start(1, 0, 0.5e9, 1);
  processors.update_shares(1);
  EXPECT_EQ(processors.size(), 2u);
  expect_end(processors, 1, 2);
  expect_end(processors, 0, 2.5);
  EXPECT_EQ(processors.size(), 0u);
}

TEST(Processors, GiveEachComputationACoreWhereThereAreEnough) {
  const Platform platform = host_of(2);
  Processors processors(platform);
  processors.start(0, 0, 2e9, 0);
  processors.start(1, 0, 1e9, 0);
  processors.update_shares(0);
  expect_end(processors, 1, 1);
  expect_end(processors, 0, 2);
}

// Three on two cores have two thirds of one each: the shortest takes 1.5 s for its 1 s; the others
// then have a core each.
TEST(Processors, ShareTheirCoresAlike) {
  const Platform platform = host_of(2);
  Processors processors(platform);
  processors.start(0, 0, 1e9, 0);
  processors.start(1, 0, 2e9, 0);
  processors.start(2, 0, 4e9, 0);
  processors.update_shares(0);
  expect_end(processors, 0, 1.5);
  expect_end(processors, 1, 2.5);
  expect_end(processors, 2, 4.5);
}

TEST(Processors, PausesTakeNoShare) {
  const Platform platform = host_of(1);
  Processors processors(platform);
  processors.start(0, 0, 1e9, 0);
  processors.pause(1, 0, 0.25);
  processors.update_shares(0);
  EXPECT_EQ(processors.size(), 2u);
  expect_end(processors, 1, 0.25);
  expect_end(processors, 0, 1);
}

TEST(Processors, EndOnlyWhatIsDueBeforeATime) {
  const Platform platform = host_of(1);
  Processors processors(platform);
  processors.pause(4, 0, 1);
  processors.pause(5, 0, 2);
  processors.update_shares(0);
  std::vector<Processors::Ended> ended;
  processors.advance(1, ended);
  EXPECT_TRUE(ended.empty());
  processors.advance(2, ended);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].id, 4u);
  EXPECT_EQ(ended[0].time, 1);
}

}  // namespace
}  // namespace slackline
