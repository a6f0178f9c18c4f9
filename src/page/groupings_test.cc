#include "page/timeline_parts.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "formats/text/text.h"

namespace slackline {
namespace {

using Extents = std::vector<std::pair<std::int32_t, std::int32_t>>;

Trace four_ranks(const std::string& head, const std::string& hosts) {
  std::string text = "slackline-trace 1 timed ranks=4\n" + head;
  for (int r = 0; r < 4; ++r) {
    text += "rank " + std::to_string(r) + " host=" + hosts[static_cast<std::size_t>(r)] +
            "\n  @0 +1 init\n";
  }
  return read_text(text, "test");
}

TEST(Groupings, AreHostsInTheOrderOfTheirFirstRank) {
  const auto groupings = groupings_of(four_ranks("", "baab"));
  ASSERT_EQ(groupings.size(), 1u);
  EXPECT_EQ(groupings[0].name, "host");
  ASSERT_EQ(groupings[0].groups.size(), 2u);
  EXPECT_EQ(groupings[0].groups[0].name, "b");
  EXPECT_EQ(groupings[0].groups[0].ranks, (Extents{{0, 0}, {3, 3}}));
  EXPECT_EQ(groupings[0].groups[1].ranks, (Extents{{1, 2}}));
}

TEST(Groupings, PutARankIntoTheFirstOfItsCommunicators) {
  const auto groupings =
      groupings_of(four_ranks("comm 2 members=0,1\ncomm 3 members=1,2,3\n", "aaaa"));
  ASSERT_EQ(groupings.size(), 1u);  // one host tells nothing apart
  EXPECT_EQ(groupings[0].name, "communicator");
  ASSERT_EQ(groupings[0].groups.size(), 2u);
  EXPECT_EQ(groupings[0].groups[0].ranks, (Extents{{0, 1}}));
  EXPECT_EQ(groupings[0].groups[1].ranks, (Extents{{2, 3}}));
}

}  // namespace
}  // namespace slackline
