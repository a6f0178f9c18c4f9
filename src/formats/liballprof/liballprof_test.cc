#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"
#include "formats/liballprof/rank_reader.h"
#include "formats/liballprof/reader.h"
#include "formats/text/text.h"
#include "trace/testing/shared_traces.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Liballprof : public ::testing::Test {
 protected:
  fs::path rank_file(int rank) const {
    return folder_ / ("pmpi-trace-rank-" + std::to_string(rank) + ".txt");
  }
  void write(int rank, const std::string& offset, const std::string& lines) const {
    write_file(rank_file(rank), "# collprof 0.9 output file\n# host: n" + std::to_string(rank) +
                                    "\n# Init clockdiff: " + offset + "\n\n" + lines);
  }
  Trace read() const { return read_liballprof(folder_); }

  // The lines of one rank in the text form.
  static std::string rank_text(const Trace& trace, int rank) {
    std::string text;
    write_text_trace(trace, [&](std::string_view piece) { text += piece; }, {rank});
    const std::size_t at = text.find("\nrank ");
    return text.substr(text.find('\n', at + 1) + 1);
  }

  ScratchFolder scratch_;
  const fs::path& folder_ = scratch_.path();
};

TEST_F(Liballprof, ReadsMessagesAndCorrectsClocks) {
  write(0, "0.000000",
        "MPI_Init:-:1:2:1000.000000\n"
        "MPI_Send:1010.000000:99:5:11,8,8:1:7:0,0,2:1012.500000\n"
        "# Finalize clockdiff: 0.000000\n"
        "MPI_Finalize:1100.000000:-\n");
  write(1, "5.000000",
        "MPI_Init:-:1:2:1000.000000\n"
        "MPI_Recv:1020.000000:99:5:11,8,8:0:7:0,1,2:123:1030.000000\n"
        "# Finalize clockdiff: 6.000000\n"
        "MPI_Finalize:1100.000000:-\n");
  const Trace trace = read();
  EXPECT_EQ(rank_text(trace, 0),
            "  @0 init\n  @10000 +2500 send to=1 tag=7 bytes=40\n  @100000 finalize\n");
  // 1 us in 100 us: 20 us after MPI_Init the offset is 5.2 us.
  EXPECT_EQ(rank_text(trace, 1),
            "  @5000 init\n  @25200 +10100 recv from=0 tag=7 bytes=40\n  @106000 finalize\n");
  EXPECT_EQ(trace.rank_info(1).clock_offset_ns, 5000);
  EXPECT_EQ(trace.rank_info(1).host, "n1");
  EXPECT_TRUE(trace.findings().empty());
  EXPECT_TRUE(same_content(trace, read_liballprof(rank_file(1))));
}

// The header of the tool that liballprof came from.
TEST_F(Liballprof, ReadsFilesOfItsFirstVersion) {
  const std::string head = "# htor's PMPI Tracer 0.9 Output File\n# time: Tue Feb 22 2011\n";
  write_file(rank_file(0), head +
                               "# hostname: n0\n# clockdiff: 0.000000 s (relative to rank 0)\n\n"
                               "MPI_Init:-:1:2:1000\nMPI_Finalize:1100:-\n");
  write_file(rank_file(1), head +
                               "# hostname: n1\n# clockdiff: 0.000007 s (relative to rank 0)\n\n"
                               "MPI_Init:-:1:2:1000\nMPI_Finalize:1100:-\n");
  const Trace trace = read();
  EXPECT_EQ(rank_text(trace, 1), "  @7000 init\n  @107000 finalize\n");
  EXPECT_EQ(trace.rank_info(1).host, "n1");
  EXPECT_TRUE(trace.findings().empty());
}

TEST_F(Liballprof, RequestsAreTheirAddresses) {
  write(0, "0",
        "MPI_Init:-:1:2:0\n"
        "MPI_Irecv:1:9:1:1,4,4:1:1:0,0,2:1000:2\n"
        "MPI_Irecv:2:9:1:1,4,4:-1:-1:0,0,2:1004:3\n"
        "MPI_Isend:3:9:1:1,4,4:-2:3:0,0,2:2000:4\n"
        "MPI_Wait:4:2000:0:5\n"
        "MPI_Waitall:5:2:1000:0:6\n"
        "MPI_Test:6:1000:0:0:7\n"
        "MPI_Finalize:8:-\n");
  write(1, "0", "MPI_Init:-:1:2:0\n");
  const Trace trace = read();
  EXPECT_EQ(rank_text(trace, 0),
            "  @0 init\n"
            "  @1000 +1000 irecv from=1 tag=1 bytes=4 req=1\n"
            "  @2000 +1000 irecv from=any tag=any bytes=4 req=2 any_source any_tag\n"
            "  @3000 +1000 isend to=null tag=3 bytes=4 req=3\n"
            "  @4000 +1000 wait req=3\n"
            "  @5000 +1000 waitall reqs=1,2\n"
            "  @6000 +1000 test polls=1 inside=1000 failed\n"
            "  @8000 finalize\n");
  EXPECT_EQ(trace.findings().count(liballprof::kTests), 1u);
  EXPECT_EQ(trace.findings().count(liballprof::kWildcards), 1u);
  EXPECT_FALSE(trace.rank_info(1).finalized);
}

TEST_F(Liballprof, CollectivesAndCommunicators) {
  // Ranks 0 and 2 share handle 5; handle 6 means one group on ranks 0 and 1, another on 1 alone.
  const std::string common = "MPI_Init:-:1:2:0\n";
  write(0, "0",
        common +
            "MPI_Bcast:1:9:3:1,4,4:1:5,1,2:2\n"
            "MPI_Alltoallv:2:9:0:1,2,3:0:0,1,3:1,4,4:9:0:4,5,6:0:0,4,9:1,4,4:0,0,3:3\n"
            "MPI_Barrier:4:6,0,2:5\n"
            "MPI_Barrier:7:0,0,3:8\n");
  write(1, "0",
        common + "MPI_Barrier:4:6,0,2:5\nMPI_Reduce_scatter:6:9:9:0:7,8,9:1,4,4:3:0,1,3:7\n");
  write(2, "0", common + "MPI_Bcast:1:9:3:1,4,4:1:5,0,2:2\nMPI_Comm_rank:3:0,2,3:9:4\nnonsense\n");
  const Trace trace = read();
  ASSERT_EQ(trace.communicators().size(), 3u);
  EXPECT_EQ(trace.communicators()[2].members, (std::vector<std::int32_t>{2, 0}));
  EXPECT_EQ(rank_text(trace, 0),
            "  @0 init\n"
            "  @1000 +1000 bcast root=0 elem=4 bytes=12 comm=2\n"
            "  @2000 +1000 alltoallv elem=4 send=4,8,12 recv=16,20,24\n"
            "  @7000 +1000 barrier\n");
  EXPECT_EQ(rank_text(trace, 1),
            "  @0 init\n  @6000 +1000 reduce_scatter elem=4 bytes=32 counts=28,32,36\n");
  EXPECT_EQ(trace.findings().count(kUnknownCommunicator), 2u);
  EXPECT_EQ(trace.findings().count(kLocalCalls), 1u);
  EXPECT_EQ(trace.findings().count(kDamagedRecord), 1u);
}

TEST_F(Liballprof, MissingRanksAreAbsentAndFewFilesOfManyRanksRefused) {
  write(1, "0", "MPI_Init:-:1:2:0\n");
  const Trace trace = read();
  EXPECT_EQ(trace.ranks(), 2);
  EXPECT_FALSE(trace.rank_info(0).present);
  write(900000, "0", "MPI_Init:-:1:2:0\n");
  EXPECT_THAT(error_text([&] { read(); }), HasSubstr("one of them is for rank 900000"));
}

// SWEEP3D on 2 x 2 ranks: what is known of its calls.
TEST(LiballprofShared, Sweep3dHasTheKnownCounts) {
  const fs::path folder = testing::shared_trace("sweep3d-2x2");
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " is not there; set SLACKLINE_SHARED";
  const Trace trace = read_liballprof(folder);
  ASSERT_EQ(trace.ranks(), 4);
  for (std::int32_t r = 0; r < 4; ++r) {
    std::map<Operation, int> count;
    const RankCalls& calls = trace.calls(r);
    for (std::size_t i = 0; i < calls.size(); ++i) ++count[calls.operation(i)];
    EXPECT_EQ(count[Operation::send], 1440);
    EXPECT_EQ(count[Operation::recv], 1440);
    EXPECT_EQ(count[Operation::allreduce], 32);
    EXPECT_EQ(count[Operation::barrier], 3);
    EXPECT_EQ(count[Operation::bcast], 4);
  }
  EXPECT_EQ(trace.findings().count(kDamagedRecord), 0u);
}

}  // namespace
}  // namespace slackline
