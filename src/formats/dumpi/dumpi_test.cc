#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"
#include "formats/dumpi/rank_builder.h"
#include "formats/dumpi/reader.h"
#include "formats/text/text.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string big_endian(std::uint64_t value, int width) {
  std::string bytes;
  for (int i = width - 1; i >= 0; --i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}
std::string i4(std::int64_t value) {
  return big_endian(static_cast<std::uint64_t>(value), 4);
}
std::string i2(std::int64_t value) {
  return big_endian(static_cast<std::uint64_t>(value), 2);
}
std::string array4(std::initializer_list<std::int64_t> values) {
  std::string bytes = i4(static_cast<std::int64_t>(values.size()));
  for (const std::int64_t value : values) bytes += i4(value);
  return bytes;
}

constexpr std::string_view kMagic =
    "\xff\xaa\xdd"
    "DUMPI";

// A binary file, put together as the documentation of the format says: numbers of functions are
// those of its list (MPI_Send is 0).
class BinaryFile {
 public:
  BinaryFile() : bytes_(std::string(kMagic) + i4(0) + i4(1000)) {}

  // `seconds` of 16 bits and ns; the mask is that of wall times, statuses and a thread.
  void call(int function, std::pair<int, int> begin, std::pair<int, int> end,
            const std::string& arguments, int thread = 0) {
    bytes_ += i2(function) + big_endian(0x4b, 1) + i2(thread);
    for (const auto& [seconds, nanos] : {begin, end}) bytes_ += i2(seconds) + i4(nanos);
    bytes_ += arguments;
  }
  // The mask has statuses and a thread only.
  void call_without_times(int function, const std::string& arguments) {
    bytes_ += i2(function) + big_endian(0x43, 1) + i2(0) + arguments;
  }
  void call(int function, int begin, int end, const std::string& arguments) {
    call(function, {0, begin}, {0, end}, arguments);
  }
  /// Entering (291) or leaving (292) the function at `address`.
  void function(int number, int time, std::uint64_t address) {
    bytes_ += i2(number) + big_endian(0x48, 1) + i2(0);
    for (int i = 0; i < 2; ++i) bytes_ += i2(0) + i4(time);
    bytes_ += big_endian(address, 8);
  }
  std::string cut() const { return bytes_; }

  // With header (version 1.0.0, host), footer, sizes of two own datatypes, and the index.
  std::string whole(const std::string& host = "n0", int ignored_function = -1) const {
    std::string bytes = bytes_ + i2(293);
    const std::size_t header = bytes.size();
    bytes += big_endian(0x010000, 3) + big_endian(1'296'777'956, 8) +
             i2(static_cast<std::int64_t>(host.size())) + host + i2(0);
    const std::size_t footer = bytes.size();
    bytes += big_endian(0xf007fee7, 8) + std::string(291 * 4, '\0');
    for (int i = 0; i <= 290; ++i) bytes += i4(i == ignored_function ? 3 : 0);
    const std::size_t functions = bytes.size();
    const std::string solve = "_ZN3app5solveEi";
    bytes += i4(1) + big_endian(0x40a0, 8) + i2(static_cast<std::int64_t>(solve.size())) + solve;
    const std::size_t sizes = bytes.size();
    bytes += i4(30);
    for (int type = 0; type < 30; ++type) bytes += i4(type == 29 ? 100 : type == 9 ? 4 : 8);
    bytes += kMagic;
    for (const std::size_t offset :
         {sizes, functions, std::size_t{0}, header, kMagic.size(), footer, std::size_t{0}}) {
      bytes += big_endian(offset, 8);
    }
    return bytes;
  }

 private:
  std::string bytes_;
};

constexpr int kSend = 0;
constexpr int kRecv = 1;
constexpr int kIsend = 8;
constexpr int kIrecv = 12;
constexpr int kWait = 13;
constexpr int kWaitall = 18;
constexpr int kInit = 124;
constexpr int kFinalize = 125;
constexpr int kCommSplit = 86;
constexpr int kCommSize = 81;
constexpr int kAllreduce = 65;
constexpr int kGatherv = 55;
const std::string kNoStatus = i4(0);
const std::string kWorld = i2(2);
const std::string kInt = i2(9);

std::string status(std::int64_t bytes, std::int64_t source, std::int64_t tag) {
  return i4(1) + i4(bytes) + i4(source) + std::string(2, '\0') + i4(tag);
}

class Dumpi : public ::testing::Test {
 protected:
  fs::path file(int rank) const { return folder_ / ("run-000" + std::to_string(rank) + ".bin"); }
  void write(int rank, const std::string& bytes) const { write_file(file(rank), bytes); }
  Trace read() const { return read_dumpi(folder_); }

  static std::string rank_text(const Trace& trace, int rank) {
    std::string text;
    write_text_trace(trace, [&](std::string_view piece) { text += piece; }, {rank});
    const std::size_t at = text.find("\nrank ");
    return text.substr(text.find('\n', at + 1) + 1);
  }

  ScratchFolder scratch_;
  const fs::path& folder_ = scratch_.path();
};

TEST_F(Dumpi, ReadsMessagesFromBinaryFiles) {
  BinaryFile zero;
  zero.call(kInit, 0, 100, i4(2) + i4(3) + "app" + i4(2) + "-x");
  zero.call(kSend, 200, 300, i4(5) + kInt + i4(1) + i4(7) + kWorld);
  zero.call(kIsend, 400, 410, i4(2) + i2(29) + i4(1) + i4(8) + kWorld + i4(2));
  zero.call(kWait, 420, 430, i4(2) + kNoStatus);
  zero.call(kFinalize, 900, 910, "");
  write(0, zero.whole());
  BinaryFile one;
  one.call(kInit, 0, 100, i4(0));
  one.call(kIrecv, 150, 160, i4(9) + kInt + i4(-1) + i4(-1) + kWorld + i4(2));
  one.call(kRecv, 170, 500, i4(999) + kInt + i4(0) + i4(8) + kWorld + status(200, 0, 8));
  one.call(kWaitall, 510, 520, i4(2) + array4({2, 1}) + status(20, 0, 7));
  one.call(kFinalize, 900, 910, "");
  write(1, one.whole());
  const Trace trace = read();
  EXPECT_EQ(rank_text(trace, 0),
            "  @0 +100 init\n"
            "  @200 +100 send to=1 tag=7 bytes=20\n"
            "  @400 +10 isend to=1 tag=8 bytes=200 req=1\n"
            "  @420 +10 wait req=1\n"
            "  @900 +10 finalize\n");
  // The receive from any source has the source, tag and size that its completion tells, and the one
  // with room for 3996 bytes the 200 that came.
  EXPECT_EQ(rank_text(trace, 1),
            "  @0 +100 init\n"
            "  @150 +10 irecv from=0 tag=7 bytes=20 req=1 any_source any_tag\n"
            "  @170 +330 recv from=0 tag=8 bytes=200\n"
            "  @510 +10 waitall reqs=1\n"
            "  @900 +10 finalize\n");
  EXPECT_TRUE(trace.findings().empty());
  EXPECT_EQ(trace.info().program, "app -x");
  EXPECT_EQ(trace.info().started, "2011-02-04T00:05:56Z");
  EXPECT_EQ(trace.rank_info(1).host, "n0");
  EXPECT_TRUE(same_content(trace, read_dumpi(file(1))));
}

TEST_F(Dumpi, TheTextFormIsTheSameTrace) {
  BinaryFile binary;
  binary.call(kInit, 0, 100, i4(1) + i4(3) + "app");
  binary.call(kIsend, 400, 410, i4(2) + i2(29) + i4(0) + i4(8) + kWorld + i4(2));
  binary.call(kRecv, 420, 430, i4(9) + kInt + i4(-1) + i4(8) + kWorld + status(200, 0, 8));
  binary.call(kWaitall, 440, 450, i4(1) + array4({2}) + kNoStatus);
  binary.call(kGatherv, 500, 600,
              i4(0) + i4(1) + i4(3) + kInt + i4(0) + kWorld + array4({3}) + array4({0}) + kInt);
  binary.call(kFinalize, 900, 910, "");
  write(0, binary.whole());
  const Trace expected = read();
  const fs::path text = folder_ / "text" / "run-0.txt";
  fs::create_directories(text.parent_path());
  const auto line = [](const char* name, const char* what, const char* ns) {
    return std::string(name) + " " + what + " at walltime 1000.000000" + ns +
           ", cputime 0.000000000 seconds in thread 0.\n";
  };
  const auto call = [&](const char* name, const char* begin, const std::string& arguments,
                        const char* end) {
    return line(name, "entering", begin) + arguments + line(name, "returning", end);
  };
  write_file(
      text,
      "hostname=n0\n" + call("MPI_Init", "000", "int argc=1\nstring argv[1]=[\"app\"]\n", "100") +
          call("MPI_Isend", "400",
               "int count=2\nMPI_Datatype datatype=29 (user-defined-datatype)\nint dest=0\nint "
               "tag=8\nMPI_Comm comm=2 (MPI_COMM_WORLD)\nMPI_Request request=[2]\n",
               "410") +
          call(
              "MPI_Recv", "420",
              "int count=9\nMPI_Datatype datatype=9 (MPI_INT)\nint source=-1 (MPI_ANY_SOURCE)\nint "
              "tag=8\nMPI_Comm comm=2 (MPI_COMM_WORLD)\nMPI_Status status=[{bytes=200, "
              "cancelled=0, source=0, tag=8, error=0}]\n",
              "430") +
          call("MPI_Waitall", "440",
               "int count=1\nMPI_Request requests[1]=[2]\nMPI_Status statuses[1]=<IGNORED>\n",
               "450") +
          call("MPI_Gatherv", "500",
               "int commrank=0\nint commsize=1\nint sendcount=3\nMPI_Datatype sendtype=9 "
               "(MPI_INT)\nint recvcounts[1]=[3]\nint displs[1]=[0]\nMPI_Datatype recvtype=9 "
               "(MPI_INT)\nint root=0\nMPI_Comm comm=2 (MPI_COMM_WORLD)\n",
               "600") +
          call("MPI_Finalize", "900", "", "910") +
          "MPI_Send called 0 times and ignored 0 times\nDatatype 9 (MPI_INT) has size 4\n"
          "Datatype 29 (user-defined-datatype) has size 100\n");
  const Trace trace = read_dumpi(text);
  EXPECT_EQ(rank_text(trace, 0), rank_text(expected, 0));
  EXPECT_TRUE(same_content(trace, expected));
  EXPECT_TRUE(trace.findings().empty());
  EXPECT_EQ(trace.info().program, "app");
}

TEST_F(Dumpi, CommunicatorsFollowFromTheCallsThatMakeThem) {
  // Ranks 0 and 2 get color 0 with keys that turn them round; rank 1 takes no part. The handle is
  // another one on each rank.
  const std::int64_t color[] = {0, -32766, 0};
  const std::int64_t key[] = {5, 0, 1};
  const std::int64_t handle[] = {4, 1, 9};
  for (int rank = 0; rank < 3; ++rank) {
    BinaryFile file;
    file.call(kInit, 0, 100, i4(0));
    file.call(kCommSplit, 200, 300, kWorld + i4(color[rank]) + i4(key[rank]) + i2(handle[rank]));
    if (rank != 1) {
      file.call(kAllreduce, 400, 500, i4(2) + kInt + big_endian(3, 1) + i2(handle[rank]));
    }
    if (rank == 0) file.call(kSend, 600, 610, i4(1) + kInt + i4(0) + i4(1) + i2(handle[rank]));
    if (rank == 2) {
      file.call(kRecv, 600, 610, i4(1) + kInt + i4(1) + i4(1) + i2(handle[rank]) + kNoStatus);
    }
    file.call(kFinalize, 900, 910, "");
    write(rank, file.whole());
  }
  const Trace trace = read();
  ASSERT_EQ(trace.communicators().size(), 3u);
  EXPECT_EQ(trace.communicators()[2].members, (std::vector<std::int32_t>{2, 0}));
  const RankCalls& zero = trace.calls(0);
  EXPECT_EQ(zero.args(1)[0], 2);
  EXPECT_EQ(zero.comm(2), 2u);
  EXPECT_EQ(zero.bytes(2), 8u);
  EXPECT_EQ(zero.peer(3), 2);
  EXPECT_EQ(trace.calls(1).args(1)[0], std::int64_t{kCommNull});
  EXPECT_EQ(trace.calls(2).peer(3), 0);
  EXPECT_TRUE(trace.findings().empty());
}

TEST_F(Dumpi, FunctionsOfTheProgramAreRegions) {
  BinaryFile file;
  file.call(kInit, 0, 100, i4(0));
  file.function(291, 200, 0x40a0);
  file.function(292, 300, 0x40a0);
  file.call(kFinalize, 900, 910, "");
  write(0, file.whole());
  const Trace trace = read();
  EXPECT_EQ(rank_text(trace, 0),
            "  @0 +100 init\n  @200 enter \"app::solve\"\n  @300 leave \"app::solve\"\n"
            "  @900 +10 finalize\n");
}

TEST_F(Dumpi, SecondsOf16BitsBeginAnew) {
  BinaryFile file;
  file.call(kInit, {65'535, 0}, {65'535, 100}, i4(0));
  file.call(kFinalize, {0, 5}, {1, 0}, "");
  write(0, file.whole());
  EXPECT_EQ(rank_text(read(), 0), "  @0 +100 init\n  @1000000005 +999999995 finalize\n");
}

TEST_F(Dumpi, ThreadsAreInOrderOfTheirBegin) {
  BinaryFile file;
  file.call(kInit, 0, 100, i4(0));
  file.call(kSend, {0, 250}, {0, 260}, i4(1) + kInt + i4(-2) + i4(0) + kWorld, 1);
  file.call(kSend, {0, 200}, {0, 300}, i4(1) + kInt + i4(-2) + i4(1) + kWorld, 0);
  file.call(kFinalize, 900, 910, "");
  write(0, file.whole());
  const Trace trace = read();
  ASSERT_EQ(trace.calls(0).size(), 4u);
  EXPECT_EQ(trace.calls(0).begin_ns(1), 200);
  EXPECT_EQ(trace.calls(0).thread(2), 1);
  EXPECT_EQ(trace.calls(0).peer(1), kPeerNull);
}

// Two threads make communicators; the one that began first is the second in the file.
TEST_F(Dumpi, CommunicatorsOfThreadsAreThoseOfTheirCalls) {
  BinaryFile file;
  file.call(kInit, 0, 100, i4(0));
  file.call(kCommSplit, {0, 250}, {0, 260}, kWorld + i4(-32766) + i4(0) + i2(1), 1);
  file.call(kCommSplit, {0, 200}, {0, 300}, kWorld + i4(0) + i4(0) + i2(7), 0);
  file.call(kAllreduce, {0, 400}, {0, 500}, i4(2) + kInt + big_endian(3, 1) + i2(7), 0);
  file.call(kFinalize, 900, 910, "");
  write(0, file.whole());
  const Trace trace = read();
  ASSERT_EQ(trace.communicators().size(), 3u);
  ASSERT_EQ(trace.calls(0).size(), 5u);
  EXPECT_EQ(trace.calls(0).args(1)[0], 2) << "of thread 0, which began first";
  EXPECT_EQ(trace.calls(0).args(2)[0], std::int64_t{kCommNull});
  EXPECT_EQ(trace.calls(0).comm(3), 2u);
}

// What made the communicator is lost, but not what it is.
TEST_F(Dumpi, CommunicatorsOfCallsWithoutTimesAreKnown) {
  BinaryFile file;
  file.call(kInit, 0, 100, i4(0));
  file.call_without_times(kCommSplit, kWorld + i4(0) + i4(0) + i2(7));
  file.call(kCommSplit, 200, 300, kWorld + i4(-32766) + i4(0) + i2(1));
  file.call(kAllreduce, 400, 500, i4(2) + kInt + big_endian(3, 1) + i2(7));
  file.call(kFinalize, 900, 910, "");
  write(0, file.whole());
  const Trace trace = read();
  EXPECT_EQ(trace.findings().count(kDamagedRecord), 1u);
  ASSERT_EQ(trace.calls(0).size(), 4u);
  EXPECT_EQ(trace.calls(0).args(1)[0], std::int64_t{kCommNull});
  EXPECT_EQ(trace.calls(0).comm(2), 2u);
}

// The size of the world, the name of the program and the host are those of the ranks that are
// there.
TEST_F(Dumpi, ReadsRunsWithoutTheFirstRank) {
  BinaryFile file;
  file.call(kInit, 0, 100, i4(1) + i4(3) + "app");
  file.call(kSend, 200, 300, i4(5) + kInt + i4(0) + i4(7) + kWorld);
  file.call(kFinalize, 900, 910, "");
  write(1, file.whole());
  const Trace trace = read();
  ASSERT_EQ(trace.ranks(), 2);
  EXPECT_FALSE(trace.rank_info(0).present);
  EXPECT_TRUE(trace.calls(0).empty());
  ASSERT_EQ(trace.calls(1).size(), 3u);
  EXPECT_EQ(trace.calls(1).peer(1), 0);
  EXPECT_EQ(trace.info().program, "app");
  EXPECT_FALSE(trace.info().started.empty());
  EXPECT_EQ(trace.findings().count(kMissingRanks), 1u);
  EXPECT_EQ(trace.findings().count(kClockUnknown), 0u) << "one host";
}

TEST_F(Dumpi, LossIsLoud) {
  BinaryFile file;
  file.call(kInit, 0, 100, i4(0));
  file.call(kSend, 200, 300, i4(5) + kInt + i4(1) + i4(7) + kWorld);
  const std::string bytes = file.cut();
  write(0, bytes.substr(0, bytes.size() - 3));
  BinaryFile whole;
  whole.call(kInit, 0, 100, i4(0));
  whole.call(kRecv, 170, 500, i4(1) + i2(40) + i4(0) + i4(8) + kWorld + kNoStatus);
  whole.call(kFinalize, 900, 910, "");
  write(2, whole.whole("n2", kIsend));
  const Trace trace = read();
  EXPECT_EQ(trace.calls(0).size(), 1u);
  EXPECT_EQ(trace.findings().count(kTruncatedFile), 1u);
  EXPECT_EQ(trace.findings().count(kMissingRanks), 1u);
  EXPECT_EQ(trace.findings().count(kNotFinalized), 1u);
  EXPECT_EQ(trace.findings().count(dumpi::kUnknownDatatypes), 1u);
  EXPECT_EQ(trace.findings().count(dumpi::kSwitchedOff), 3u);
}

TEST_F(Dumpi, TheMetaFileTellsOfRanksWithoutAFile) {
  BinaryFile file;
  file.call(kInit, 0, 100, i4(0));
  file.call(kFinalize, 900, 910, "");
  write(0, file.whole());
  write_file(folder_ / "run.meta", "hostname=n0\nnumprocs=3\nfileprefix=run\n");
  EXPECT_EQ(read().ranks(), 3);
  EXPECT_EQ(read().findings().count(kMissingRanks), 2u);
  EXPECT_EQ(read_dumpi(folder_ / "run.meta").ranks(), 3);
  EXPECT_TRUE(looks_like_dumpi(folder_, true, {}));
}

// A text of one rank has no other file beside it that would tell of the others.
TEST_F(Dumpi, TheSizeOfTheWorldTellsOfRanksWithoutAFile) {
  BinaryFile file;
  file.call(kInit, 0, 100, i4(0));
  file.call(kCommSize, 200, 210, i2(3) + i4(1));
  file.call(kCommSize, 200, 210, kWorld + i4(4));
  file.call(kFinalize, 900, 910, "");
  write(0, file.whole());
  EXPECT_EQ(read().ranks(), 4);
  EXPECT_EQ(read().findings().count(kMissingRanks), 3u);
}

TEST_F(Dumpi, OldVersionsAndSeveralRunsAreRefused) {
  BinaryFile file;
  file.call(kFinalize, 900, 910, "");
  std::string old = file.whole();
  old.replace(old.find(std::string("\x01\0\0", 3) + big_endian(1'296'777'956, 8)), 3,
              std::string("\0\x06\x05", 3));
  write(0, old);
  EXPECT_THAT(error_text([&] { read(); }), HasSubstr("it is of version 0.6.5"));
  write(0, file.whole());
  write_file(folder_ / "other-0000.bin", file.whole());
  EXPECT_THAT(error_text([&] { read(); }), HasSubstr("files of 2 runs of DUMPI"));
  EXPECT_EQ(read_dumpi(folder_ / "other-0000.bin").ranks(), 1);
}

}  // namespace
}  // namespace slackline
