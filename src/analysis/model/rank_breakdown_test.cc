#include "analysis/model/rank_breakdown.h"

#include <gtest/gtest.h>

#include "graph/testing/text_graph.h"
#include "timing/testing/small_model.h"

namespace slackline {
namespace {

using testing::kModel;
using testing::kNs;
using testing::untimed_graph;

struct Parts {
  std::int64_t compute, overhead, transfer, wait;
  bool operator==(const Parts&) const = default;
};
void PrintTo(const Parts& p, std::ostream* out) {
  *out << "compute " << p.compute << ", overhead " << p.overhead << ", transfer " << p.transfer
       << ", wait " << p.wait;
}

/// In nanoseconds.
std::vector<Parts> breakdown(int ranks, std::string_view text, const GraphOptions& options = {}) {
  const ExecutionGraph graph = untimed_graph(ranks, text, options);
  std::vector<Parts> result;
  for (const TimeBreakdown& p :
       rank_breakdown(graph, model_schedule(graph, kModel), PicosecondCost(kModel))) {
    result.push_back({p.compute / 1000, p.overhead / 1000, p.transfer / 1000, p.wait / 1000});
  }
  return result;
}

TEST(Breakdown, OfAReceiverThatIsEarly) {
  // The sender computes 500; the receiver waits for that and for its o (510), then the message is
  // on its way for 1000 + 4, then o. The sender waits for the end after 510.
  const auto parts =
      breakdown(2, "rank 0\n compute 500\n send to=1 bytes=5\nrank 1\n recv from=0 bytes=5\n");
  EXPECT_EQ(parts[0], (Parts{500, 10, 0, 1014}));
  EXPECT_EQ(parts[1], (Parts{0, 10, 1004, 510}));
}

TEST(Breakdown, OfAReceiverThatComesWhileTheMessageIsUnderWay) {
  // The message is under way from 10 to 1014; the receiver waits for it from 600 on only.
  const auto parts =
      breakdown(2, "rank 0\n send to=1 bytes=5\nrank 1\n compute 600\n recv from=0 bytes=5\n");
  EXPECT_EQ(parts[1], (Parts{600, 10, 414, 0}));
}

TEST(Breakdown, OfAReceiverThatIsLate) {
  const auto parts =
      breakdown(2, "rank 0\n send to=1 bytes=5\nrank 1\n compute 6000\n recv from=0 bytes=5\n");
  EXPECT_EQ(parts[1], (Parts{6000, 10, 0, 0}));
  EXPECT_EQ(parts[0], (Parts{0, 10, 0, 6000}));
}

TEST(Breakdown, HidesTransferUnderComputation) {
  // 1020 at the earliest, but the receiver computes until 1015 before it waits: 5 are left.
  const auto parts = breakdown(2,
                               "rank 0\n send to=1 bytes=1\n"
                               "rank 1\n irecv from=0 req=1\n compute 1005\n wait req=1\n");
  EXPECT_EQ(parts[1], (Parts{1005, 10, 5, 0}));
}

TEST(Breakdown, OfARendezvousSenderThatWaitsForItsReceiver) {
  // sync: both return at 3010. The sender is blocked from 10 on, and of the 3000 that it waits its
  // message never was what it waited for; the last o is the receiver's.
  GraphOptions options;
  options.eager_threshold_bytes = 0;
  options.rendezvous = Rendezvous::sync;
  const auto parts = breakdown(
      2, "rank 0\n send to=1 bytes=5\nrank 1\n compute 3000\n recv from=0 bytes=5\n", options);
  EXPECT_EQ(parts[0].compute, 0);
  EXPECT_EQ(parts[0].overhead, 10);
  EXPECT_EQ(parts[0].transfer + parts[0].wait, 3000);
  EXPECT_GE(parts[0].wait, 2990);
  EXPECT_EQ(parts[1].compute, 3000);
  EXPECT_EQ(parts[1].overhead + parts[1].transfer, 10);
  EXPECT_EQ(parts[1].wait, 0);
}

TEST(Breakdown, CountsComputationAfterTheLastCall) {
  const auto parts = breakdown(2, "rank 0\n compute 5\n pack\n compute 6\n pack\nrank 1\n");
  EXPECT_EQ(parts[0], (Parts{11, 0, 0, 0}));
  EXPECT_EQ(parts[1], (Parts{0, 0, 0, 11}));
}

}  // namespace
}  // namespace slackline
