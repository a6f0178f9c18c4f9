#include "calls/blocking_summary.h"

#include <gtest/gtest.h>

#include <string>

#include "calls/summary.h"
#include "formats/text/text.h"

namespace slackline {
namespace {

// Both ranks write one file in save(), by a function of the C library and on two call paths; rank 1
// sleeps, too, and waits for a device that it polls.
const char* const kTrace =
    "slackline-trace 1 timed ranks=2\n"
    "frame 1 0 main file=a.c line=9 module=/usr/a\n"
    "frame 2 1 save file=a.c line=5 module=/usr/a\n"
    "frame 3 2 fwrite_inner module=/lib/libc.so.6\n"
    "frame 4 1 other file=a.c line=7 module=/usr/a\n"
    "frame 5 4 save file=a.c line=5 module=/usr/a\n"
    "rank 0\n"
    "  blocking io function=write file=\"/x\" calls=3 bytes=300 time=1000 blocked=400 frame=3\n"
    " @0 +10 init\n @5000 +10 finalize\n"
    "rank 1\n"
    "  blocking io function=write file=\"/x\" calls=1 bytes=100 time=600 blocked=0 frame=2\n"
    "  blocking io function=write file=\"/x\" calls=2 bytes=400 time=400 blocked=0 frame=5\n"
    "  blocking sleep function=nanosleep calls=1 bytes=0 time=3000 blocked=2600 frame=4\n"
    "  blocking device function=cudaDeviceSynchronize calls=7 bytes=0 time=500 blocked=0\n"
    " @0 +10 init\n @5000 +10 finalize\n";

TEST(BlockingSummary, AddsUpRanksByTheProgramsOwnPlaceAndFile) {
  const TraceSummary summary = summarize(read_text(kTrace, "t"));
  const auto& all = summary.blocking_calls;
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].sum.function, "nanosleep");
  EXPECT_EQ(all[0].where, "other (a.c:7)");
  EXPECT_EQ(all[0].rate(), 0);
  EXPECT_EQ(all[1].sum.file, "/x");
  EXPECT_EQ(all[1].where, "save (a.c:5)");
  EXPECT_EQ(all[1].sum.calls, 6u);
  EXPECT_EQ(all[1].sum.bytes, 800u);
  EXPECT_EQ(all[1].sum.time_ns, 2000);
  EXPECT_EQ(all[1].sum.blocked_ns, 400);
  EXPECT_EQ(all[1].ranks, 2);
  EXPECT_EQ(all[1].rate(), 800e9 / 2000);
  EXPECT_EQ(all[2].where, "");
}

TEST(BlockingSummary, SharesByKind) {
  const Trace trace = read_text(kTrace, "t");
  const auto shares = blocking_shares(trace, 10000, 0.1, &BlockingCalls::time_ns);
  ASSERT_EQ(shares.size(), 2u) << "the device has a twentieth";
  EXPECT_EQ(shares[0].share, "asleep 30.0 %");
  EXPECT_EQ(shares[0].detail, ", most in other (a.c:7)");
  EXPECT_EQ(shares[1].share, "I/O 20.0 %");
  EXPECT_EQ(shares[1].detail, ", 800 B, 381.5 MiB/s, most in save (a.c:5)");
  // Where there is less time than that, shares of their own sum.
  const auto blocked = blocking_shares(trace, 100, 0.01, &BlockingCalls::blocked_ns);
  ASSERT_EQ(blocked.size(), 2u);
  EXPECT_EQ(blocked[0].share, "asleep 86.7 %");
  EXPECT_EQ(blocked[1].share, "I/O 13.3 %");
  EXPECT_TRUE(blocking_shares(read_text("slackline-trace 1 timed ranks=1\nrank 0\n", "t"), 10, 0,
                              &BlockingCalls::time_ns)
                  .empty());
}

}  // namespace
}  // namespace slackline
