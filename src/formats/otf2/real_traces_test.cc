// Archives made by others, where they are at hand: SLACKLINE_SHARED names the folder, else it is
// "shared" beside the source tree.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "calls/summary.h"
#include "formats/findings.h"
#include "formats/otf2/findings.h"
#include "formats/otf2/otf2.h"
#include "trace/testing/shared_traces.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

#define NEED_TRACE(anchor) \
  if (!fs::exists(anchor)) GTEST_SKIP() << "SKIPPED: no " << anchor << "; set SLACKLINE_SHARED"

std::uint64_t calls_of(const TraceSummary& summary, Operation operation) {
  for (const OperationSummary& o : summary.operations) {
    if (o.operation == operation) return o.calls;
  }
  return 0;
}

// LLNL/TraceR: 8,644 events, 1,024 messages. 2,499 ENTER less 2,497 LEAVE: 2 regions stay open.
TEST(RealOtf2, Stencil4d) {
  const fs::path anchor = testing::shared_trace("") / "stencil4d-64/traces.otf2";
  NEED_TRACE(anchor);
  const Trace trace = read_otf2(anchor);
  const TraceSummary summary = summarize(trace);
  EXPECT_EQ(trace.ranks(), 64);
  EXPECT_EQ(summary.messages, 1024u);
  EXPECT_EQ(summary.message_bytes, 1024u * 262144u);
  EXPECT_EQ(calls_of(summary, Operation::irecv), 1024u);
  EXPECT_EQ(calls_of(summary, Operation::barrier), 192u);
  EXPECT_EQ(calls_of(summary, Operation::waitall), 128u);
  EXPECT_EQ(trace.findings().count(otf2::kUnbalancedRegions), 2u);
  EXPECT_EQ(trace.findings().count(kNotFinalized), 64u);
  EXPECT_EQ(trace.findings().count(otf2::kPaused), 128u);
}

TEST(RealOtf2, PingPong) {
  const fs::path anchor = testing::shared_trace("") / "pingpong-otf2/traces.otf2";
  NEED_TRACE(anchor);
  const Trace trace = read_otf2(anchor);
  const TraceSummary summary = summarize(trace);
  EXPECT_EQ(trace.ranks(), 2);
  EXPECT_EQ(summary.messages, 16u);
  EXPECT_EQ(calls_of(summary, Operation::recv), 16u);
  EXPECT_EQ(summary.communicators, 0u);
  // 418,210,708 ticks at 2,095,197,216 a second.
  EXPECT_NEAR(static_cast<double>(summary.duration_ns), 418210708 / 2.095197216, 100000);
}

// Scalasca's counts for the same archive: comms_send, bytes_sent.
TEST(RealOtf2, Sstmacro) {
  const fs::path anchor = testing::shared_trace("") / "sstmacro10/traces.otf2";
  NEED_TRACE(anchor);
  const Trace trace = read_otf2(anchor);
  const TraceSummary summary = summarize(trace);
  EXPECT_EQ(trace.ranks(), 10);
  EXPECT_EQ(summary.messages, 1440u);
  EXPECT_EQ(summary.message_bytes, 23592600u);
  EXPECT_EQ(summary.communicators, 4u);
  EXPECT_EQ(calls_of(summary, Operation::alltoall), 360u);
  EXPECT_EQ(calls_of(summary, Operation::ialltoall), 360u);
  EXPECT_EQ(calls_of(summary, Operation::wait), 1080u);
  EXPECT_EQ(trace.findings().count(otf2::kBareCollectives), 1080u);
  // Communicator {2, 8}: what rank 2 sends there goes to world rank 8.
  EXPECT_EQ(trace.communicators()[4].members, (std::vector<std::int32_t>{2, 8}));
}

}  // namespace
}  // namespace slackline
