#include "sim/engine/disks.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "calls/findings.h"
#include "formats/testing/text_trace.h"
#include "sim/platform/rank_map.h"
#include "sim/platform/read_platform.h"
#include "sim/simulation.h"
#include "sim/smpi_options.h"

namespace slackline {
namespace {

using testing::timed_trace;

/// Host a reads at 100 MB/s and writes at 40, and has a slower disk under /scratch/slow; b has
/// none.
Platform two_disks() {
  Findings findings;
  return parse_platform_xml(
      "<platform version='4.1'><zone id='w' routing='Full'><host id='a' speed='1Gf'>"
      "<disk id='d' read_bw='100MBps' write_bw='40MBps'/>"
      "<disk id='s' read_bw='1MBps' write_bw='1MBps'><prop id='mount' "
      "value='/scratch/slow'/></disk>"
      "</host><host id='b' speed='1Gf'/></zone></platform>",
      "disks.xml", findings);
}

struct Start {
  double at, bytes;
  bool write;
};

/// When each ends.
std::map<std::uint32_t, double> ends(const std::vector<Start>& starts) {
  const Platform platform = two_disks();
  Disks disks(platform);
  std::map<std::uint32_t, double> found;
  std::vector<Processors::Ended> ended;
  const auto advance_to = [&](double time) {
    while (disks.next_time() <= time) {
      const double now = disks.next_time();
      disks.advance(now, now + 1e-9, ended);
    }
  };
  for (std::uint32_t i = 0; i < starts.size(); ++i) {
    advance_to(starts[i].at);
    disks.start(i, 0, 0, starts[i].bytes, starts[i].write, starts[i].at);
  }
  advance_to(1e9);
  EXPECT_TRUE(disks.idle());
  for (const auto& [id, time] : ended) found[id] = time;
  return found;
}

TEST(Disks, AnAccessAloneHasItsBandwidth) {
  EXPECT_NEAR(ends({{1, 50e6, false}})[0], 1.5, 1e-9);
  EXPECT_NEAR(ends({{1, 50e6, true}})[0], 2.25, 1e-9);
}

// Half of 100 MB/s each for 0.5 s after the second has begun; the first is done then.
TEST(Disks, ReadersShareTheBandwidth) {
  auto found = ends({{0, 75e6, false}, {0.5, 50e6, false}});
  EXPECT_NEAR(found[0], 1, 1e-9);
  EXPECT_NEAR(found[1], 1.25, 1e-9);
}

// All together have 100 MB/s: a writer its 40, the reader 60. Two writers and a reader: 20, 20, 60.
TEST(Disks, ReadersHaveWhatWritersLeave) {
  auto found = ends({{0, 60e6, false}, {0, 40e6, true}});
  EXPECT_NEAR(found[0], 1, 1e-9);
  EXPECT_NEAR(found[1], 1, 1e-9);
  found = ends({{0, 60e6, false}, {0, 20e6, true}, {0, 20e6, true}});
  for (const std::uint32_t id : {0U, 1U, 2U}) EXPECT_NEAR(found[id], 1, 1e-9);
}

// Four readers and one writer: 20 MB/s each.
TEST(Disks, AllShareEquallyWhereNoKindIsAtItsBandwidth) {
  const double b = 20e6;
  auto found = ends({{0, b, false}, {0, b, false}, {0, b, false}, {0, b, false}, {0, b, true}});
  for (std::uint32_t id = 0; id < 5; ++id) EXPECT_NEAR(found[id], 1, 1e-9);
}

TEST(Disks, AreFoundByTheLongestPath) {
  const Platform platform = two_disks();
  const HostSpec& host = platform.host(0);
  ASSERT_EQ(host.disks.size(), 2U);
  EXPECT_EQ(host.disk_of("/scratch/slow/file"), 1U);
  EXPECT_EQ(host.disk_of("/tmp/file"), 0U);
  EXPECT_EQ(host.disk_of("file"), 0U);
}

TEST(Disks, ARecordedFileCallTakesTheTimeOfItsDisk) {
  const Trace trace = timed_trace(2,
                                  "rank 0\n @0 +10 file_read bytes=50000000\n"
                                  " @10 +10 file_write_at bytes=20000000\n @20 +5 file_sync\n"
                                  "rank 1\n");
  const Platform platform = two_disks();
  SimulationOptions options;
  options.choose = SmpiOptions{}.collectives();
  const Simulation on_disk = simulate(trace, platform, {0, 1}, options);
  EXPECT_NEAR(on_disk.rank_end[0], 1, 1e-9);
  EXPECT_NEAR(on_disk.ranks[0].overhead, 1, 1e-9);
  EXPECT_EQ(on_disk.findings.count(kIoNotModelled), 0U);
  const Simulation diskless = simulate(trace, platform, {1, 0}, options);
  EXPECT_NEAR(diskless.rank_end[0], 0, 1e-9);
  EXPECT_EQ(diskless.findings.count(kIoNotModelled), 3U);
}

}  // namespace
}  // namespace slackline
