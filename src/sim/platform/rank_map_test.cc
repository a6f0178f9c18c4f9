#include "sim/platform/rank_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "sim/platform/read_platform.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class RankMapTest : public ::testing::Test {
 protected:
  static Platform three_hosts_of_two_cores() {
    Findings findings;
    return parse_platform_toml(
        "[[cluster]]\nname='c'\nhosts='n[0-2]'\nspeed='1Gf'\ncores=2\nbandwidth='1GB/s'\n", "p",
        findings);
  }
  Platform platform_ = three_hosts_of_two_cores();
};

TEST_F(RankMapTest, HostfileGivesAHostALineOrSeveralRanks) {
  EXPECT_THAT(parse_hostfile("n2\n# no host\n\nn0:2 # two\nn1 slots=3\n", "h", platform_, 5),
              ElementsAre(2, 0, 0, 1, 1));
}

TEST_F(RankMapTest, HostfileRefusesWhatItCannotPlace) {
  EXPECT_THAT([&] { parse_hostfile("n0\nnode9\n", "h", platform_, 2); },
              ThrowsMessage<Error>(HasSubstr("h:2: unknown host 'node9'")));
  EXPECT_THAT([&] { parse_hostfile("n0\nn1\n", "h", platform_, 3); },
              ThrowsMessage<Error>(HasSubstr("cannot place 3 ranks: 'h' has slots for 2.")));
  EXPECT_THAT([&] { parse_hostfile("n0:x\n", "h", platform_, 1); },
              ThrowsMessage<Error>(HasSubstr("h:1: cannot use 'n0:x'")));
}

TEST_F(RankMapTest, PlacesByCoresOrByCount) {
  EXPECT_THAT(place_ranks("block", platform_, 5), ElementsAre(0, 0, 1, 1, 2));
  EXPECT_THAT(place_ranks("cyclic", platform_, 5), ElementsAre(0, 1, 2, 0, 1));
  EXPECT_THAT(place_ranks("block:3", platform_, 4), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(place_ranks("cyclic:1", platform_, 3), ElementsAre(0, 1, 2));
}

TEST_F(RankMapTest, RefusesMoreRanksThanFit) {
  EXPECT_THAT(
      [&] { place_ranks("block", platform_, 7); },
      ThrowsMessage<Error>(HasSubstr("cannot place 7 ranks: the 3 hosts have slots for 6.")));
  EXPECT_THROW(place_ranks("spread", platform_, 1), Error);
  EXPECT_THROW(place_ranks("block:0", platform_, 1), Error);
}

}  // namespace
}  // namespace slackline
