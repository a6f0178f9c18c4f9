#include "trace/readers/ti/requests.h"

#include <gmock/gmock.h>

#include <vector>

namespace slackline::ti {
namespace {

using ::testing::ElementsAre;

std::vector<std::int64_t> all(Requests& requests) {
  std::vector<std::int64_t> serials;
  requests.take_all(serials);
  return serials;
}

TEST(TiRequests, TheOldestOfANameIsTakenFirst) {
  Requests requests;
  requests.start({0, 1, 7}, 1);
  requests.start({0, 1, 8}, 2);
  requests.start({0, 1, 7}, 3);
  EXPECT_EQ(requests.take({0, 1, 7}), 1u);
  EXPECT_EQ(requests.take({0, 1, 7}), 3u);
  EXPECT_FALSE(requests.take({0, 1, 7}));
  EXPECT_EQ(requests.take({0, 1, 8}), 2u);
}

TEST(TiRequests, AllComeByNameAndAge) {
  Requests requests;
  requests.start({2, 0, 0}, 1);
  requests.start({0, 2, 0}, 2);
  requests.start({0, 1, 5}, 3);
  requests.start({2, 0, 0}, 4);
  requests.start({0, 1, -1}, 5);
  EXPECT_THAT(all(requests), ElementsAre(5, 3, 2, 1, 4));
  EXPECT_THAT(all(requests), ElementsAre());
}

TEST(TiRequests, ManyLeaveNothingBehind) {
  Requests requests;
  for (std::uint32_t i = 0; i < 1000; ++i) requests.start({0, 1000 - i, 0}, i);
  const std::vector<std::int64_t> serials = all(requests);
  ASSERT_EQ(serials.size(), 1000u);
  EXPECT_EQ(serials.front(), 999);
  EXPECT_EQ(serials.back(), 0);
  requests.start({0, 5, 0}, 1);
  EXPECT_FALSE(requests.take({0, 6, 0}));
  EXPECT_THAT(all(requests), ElementsAre(1));
}

}  // namespace
}  // namespace slackline::ti
