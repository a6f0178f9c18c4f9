#include "formats/ti/requests.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
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

// Around the number from which on they stand in a table, against a list.
TEST(TiRequests, FewAndManyComeAlike) {
  std::mt19937 random(7);
  Requests requests;
  std::vector<std::pair<Requests::Name, std::uint32_t>> listed;
  for (std::uint32_t serial = 1; serial < 20'000; ++serial) {
    const Requests::Name name{0, static_cast<std::int64_t>(random() % 5),
                              static_cast<std::int64_t>(random() % 3)};
    if (random() % 64 == 0) {
      std::ranges::stable_sort(listed, {}, [](const auto& one) { return one.first; });
      std::vector<std::int64_t> expected;
      for (const auto& one : listed) expected.push_back(one.second);
      EXPECT_EQ(all(requests), expected);
      listed.clear();
    } else if (random() % 100 < 45) {
      const auto found = std::ranges::find(listed, name, [](const auto& one) { return one.first; });
      std::optional<std::uint32_t> expected;
      if (found != listed.end()) expected = found->second;
      if (found != listed.end()) listed.erase(found);
      EXPECT_EQ(requests.take(name), expected);
    } else {
      requests.start(name, serial);
      listed.emplace_back(name, serial);
    }
  }
}

}  // namespace
}  // namespace slackline::ti
