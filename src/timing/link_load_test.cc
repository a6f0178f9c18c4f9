#include "timing/link_load.h"

#include <gtest/gtest.h>

#include <string>

#include "graph/testing/text_graph.h"
#include "timing/testing/small_model.h"

namespace slackline {
namespace {

using testing::kNs;
using testing::untimed_graph;

LinkDelay delay_of(int ranks, std::string_view text) {
  const ExecutionGraph graph = untimed_graph(ranks, text);
  const PicosecondCost cost(LogGPS{30 * kNs, 2 * kNs, kNs});
  return longest_link_delay(graph, model_schedule(graph, cost), cost);
}

// Sends are handed over at 2, 4 and 6 ns and take 100 ns of the link each: the second would leave
// 98 ns and the third 196 ns later.
TEST(LinkLoad, MessagesThatLeaveTogetherWait) {
  const LinkDelay delay = delay_of(4,
                                   "rank 0\n send to=1 bytes=101\n send to=2 bytes=101\n"
                                   " send to=3 bytes=101\n"
                                   "rank 1\n recv from=0 bytes=101\n"
                                   "rank 2\n recv from=0 bytes=101\n"
                                   "rank 3\n recv from=0 bytes=101\n");
  EXPECT_EQ(delay.longest_ps, 196'000);
  EXPECT_EQ(delay.rank, 0);
  EXPECT_TRUE(delay.sending);
}

// Both are handed over at 2 ns and arrive together; the second is received 2 ns after the first.
TEST(LinkLoad, MessagesThatArriveTogetherWait) {
  const LinkDelay delay = delay_of(3,
                                   "rank 0\n recv from=1 bytes=101\n recv from=2 bytes=101\n"
                                   "rank 1\n send to=0 bytes=101\nrank 2\n send to=0 bytes=101\n");
  EXPECT_EQ(delay.longest_ps, 98'000);
  EXPECT_EQ(delay.rank, 0);
  EXPECT_FALSE(delay.sending);
}

TEST(LinkLoad, MessagesOneAfterTheOtherDoNot) {
  const LinkDelay delay = delay_of(2,
                                   "rank 0\n send to=1 bytes=101\n compute 98\n"
                                   " send to=1 bytes=101\n"
                                   "rank 1\n recv from=0 bytes=101\n recv from=0 bytes=101\n");
  EXPECT_EQ(delay.longest_ps, 0);
  EXPECT_EQ(delay.rank, -1);
  EXPECT_TRUE(is_negligible(delay, 1));
}

// Both are handed over at 0 ns and take 100 ns of the link: whichever goes first, the other leaves
// 100 ns later. The second one is received 500 ns after it could be, so it comes last, whatever
// their order in the program.
TEST(LinkLoad, OfMessagesThatLeaveTogetherTheOneThatCanWaitComesLast) {
  const std::string waits = " send to=1 bytes=101\n";
  const std::string is_waited_for = " send to=2 bytes=101\n";
  const std::string receivers =
      "rank 1\n compute 500\n recv from=0 bytes=101\nrank 2\n recv from=0 bytes=101\n";
  for (const std::string& sends : {waits + is_waited_for, is_waited_for + waits}) {
    const ExecutionGraph graph = untimed_graph(3, "rank 0\n" + sends + receivers);
    const PicosecondCost cost(LogGPS{30 * kNs, 0, kNs});
    EXPECT_EQ(longest_link_delay(graph, model_schedule(graph, cost), cost).longest_ps, 0);
  }
}

// The second message is received long after it could have arrived, whatever the link.
TEST(LinkLoad, AMessageThatIsNotWaitedForDelaysNothing) {
  const LinkDelay delay = delay_of(2,
                                   "rank 0\n send to=1 bytes=101\n send to=1 bytes=101\n"
                                   "rank 1\n recv from=0 bytes=101\n compute 500\n"
                                   " recv from=0 bytes=101\n");
  EXPECT_EQ(delay.longest_ps, 0);
}

}  // namespace
}  // namespace slackline
