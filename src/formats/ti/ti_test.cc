#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"
#include "formats/ti/ti.h"

namespace slackline {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

Trace read(std::string_view text) {
  return read_ti("test.ti", bytes_of(text));
}

TEST(TiReader, TellsActionsFromOtherText) {
  EXPECT_TRUE(looks_like_ti("a", bytes_of("# made by hand\n\n0 init\n")));
  EXPECT_FALSE(looks_like_ti("a", bytes_of("slackline text 1\n")));
  EXPECT_FALSE(looks_like_ti("a", bytes_of("0 frobnicate 3\n")));
  EXPECT_FALSE(looks_like_ti("a", bytes_of("")));
}

TEST(TiReader, CountsInBytesUnlessInitHasAnArgument) {
  const Trace bytes = read("0 init\n0 send 1 7 5e1\n1 init\n1 recv 0 7 50\n");
  EXPECT_EQ(bytes.calls(0)[1].bytes, 50u);
  EXPECT_EQ(bytes.calls(0)[1].peer, 1);
  EXPECT_EQ(bytes.calls(0)[1].tag, 7);
  const Trace doubles = read("0 init 1\n0 send 1 7 50\n0 send 1 7 50 1\n1 init 1\n1 finalize\n");
  EXPECT_EQ(doubles.calls(0)[1].bytes, 400u);
  EXPECT_EQ(doubles.calls(0)[2].bytes, 200u);
}

TEST(TiReader, TheLastLineNeedsNoEnd) {
  for (const std::string_view text : {"0 init\n0 compute 15", "0 init\n0 compute 15\n\n  \r"}) {
    EXPECT_EQ(read(text).calls(0).regions().back().time_ns, 15);
  }
  EXPECT_EQ(read("0 finalize").calls(0).size(), 1u);
}

// Blank lines count, as every rank has a line; files without any in a list do, too.
TEST(TiReader, RanksAreCountedUpToTheNumberOfLines) {
  EXPECT_EQ(read("0 init\n9 init\n" + std::string(20, '\n')).ranks(), 10);
  EXPECT_EQ(read("0 init\n99999 init\n").ranks(), 1);
}

TEST(TiReader, AFlopIsANanosecond) {
  const Trace trace = read("0 init\n0 compute 1500.5\n0 compute 0.5\n0 sleep 1e-6\n0 barrier\n");
  EXPECT_EQ(trace.calls(0).gap_ns(1), 2501);
  EXPECT_EQ(trace.calls(0).regions().size(), 6u);
  EXPECT_THAT(trace.regions(), ElementsAre("compute", "sleep"));
  EXPECT_EQ(trace.info().flops_per_second, 1e9);
}

TEST(TiReader, TimesStayWithinATracesBounds) {
  const Trace trace = read("0 init\n0 compute 1e92\n0 compute 1e9\n0 barrier\n");
  EXPECT_EQ(trace.calls(0).gap_ns(1), 1'000'000'000);
  EXPECT_FALSE(trace.findings().entries().empty());
}

TEST(TiReader, AReductionWhoseComputationCannotBeIsLeftOutWhole) {
  for (const std::string flops : {"-1", "1e92"}) {
    const Trace trace = read("0 init\n0 allreduce 4 " + flops + "\n0 reduce 4 " + flops +
                             "\n0 reducescatter 4 " + flops + "\n0 barrier\n");
    EXPECT_EQ(trace.calls(0).size(), 2u) << flops;
    EXPECT_EQ(trace.calls(0).gap_ns(1), 0);
    EXPECT_FALSE(trace.findings().entries().empty());
  }
}

TEST(TiReader, AReductionsComputationFollowsItsCall) {
  const Trace trace = read("0 init\n0 allreduce 10 300 0\n0 barrier\n");
  EXPECT_EQ(trace.calls(0)[1].bytes, 80u);
  EXPECT_EQ(trace.calls(0).gap_ns(2), 300);
}

TEST(TiReader, RequestsAreFirstInFirstOutByBothRanksAndTag) {
  const Trace trace = read(
      "0 init\n0 isend 1 3 8\n0 isend 1 3 9\n0 isend 1 4 10\n0 wait 0 1 3\n0 waitall\n1 init\n");
  EXPECT_EQ(trace.calls(0)[4].request, trace.calls(0)[1].request);
  EXPECT_THAT(trace.calls(0)[5].args,
              ElementsAre(trace.calls(0)[2].request, trace.calls(0)[3].request));
}

TEST(TiReader, VectorCollectivesHaveTheirCountsInBytes) {
  const Trace trace = read(
      "0 init\n0 alltoallv 9 1 2 9 3 4 1 1\n0 gatherv 5 5 6 1 6 6\n"
      "0 allgatherv 2 2 3 1 1 0 2\n0 reducescatter 2 3 50 1\n1 init\n");
  EXPECT_THAT(trace.calls(0)[1].args, ElementsAre(4, 8, 12, 16));
  EXPECT_THAT(trace.calls(0)[2].args, ElementsAre(5, 6));
  EXPECT_EQ(trace.calls(0)[2].peer, 1);
  EXPECT_THAT(trace.calls(0)[3].args, ElementsAre(8, 12));
  EXPECT_THAT(trace.calls(0)[4].args, ElementsAre(8, 12));
  EXPECT_EQ(trace.calls(0)[4].bytes, 8u);
}

TEST(TiReader, ABadLineCostsItself) {
  const Trace trace = read("0 init\n0 send 9 0 1\n0 send x\n0 wait 0 1 1\n0 barrier\n0 what 1\n");
  EXPECT_EQ(trace.calls(0).size(), 2u);
  EXPECT_EQ(trace.findings().entries().front().count, 4u);
}

TEST(TiReader, TakesAFolder) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("ti_folder" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  EXPECT_FALSE(looks_like_ti(folder, {}));
  write_file(folder / "trace0.txt", "0 init\n0 send 1 7 5\n");
  write_file(folder / "trace1.txt", "1 init\n1 recv 0 7 5\n");
  ASSERT_TRUE(looks_like_ti(folder, {}));
  const Trace trace = read_ti(folder, {});
  ASSERT_EQ(trace.ranks(), 2);
  EXPECT_EQ(trace.calls(1)[1].peer, 0);
  write_file(folder / "notes.txt", "Two ranks.\n");
  EXPECT_FALSE(looks_like_ti(folder, {}));
}

TEST(TiReader, AFolderWithAListIsWhatTheListSays) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("ti_list" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  write_file(folder / "trace0.txt", "0 init\n0 send 1 7 5\n");
  write_file(folder / "trace1.txt", "1 init\n1 recv 0 7 5\n");
  write_file(folder / "deployment.txt", "trace0.txt\ntrace1.txt\n");
  write_file(folder / "notes.txt", "Two ranks.\n");
  ASSERT_TRUE(looks_like_ti(folder, {}));
  EXPECT_EQ(read_ti(folder, {}).ranks(), 2);
}

class TiFiles : public ::testing::Test {
 protected:
  void write(const std::string& name, std::string_view text) const {
    write_file(scratch_ / name, text);
  }
  Trace read_whole() const { return read_ti(scratch_.path(), {}, TiRanks::all); }
  std::string error_of_folder() const {
    return error_text([this] { read_whole(); });
  }
  ScratchFolder scratch_;
};

TEST_F(TiFiles, AFolderWithoutAllRanksIsRefused) {
  write("r0.txt", "0 init\n0 send 1 0 4\n");
  EXPECT_THAT(error_of_folder(), HasSubstr("no actions of rank 1"));
  write("r2.txt", "2 init\n2 finalize\n0 barrier\n");
  EXPECT_THAT(error_of_folder(), HasSubstr("no actions of rank 1"));
  write("r1.txt", "1 init\n1 recv 0 0 4\n");
  EXPECT_EQ(read_whole().ranks(), 3);
}

TEST_F(TiFiles, OneFileMayHoldSomeOfTheRanks) {
  const std::string_view text = "0 init\n0 send 1 0 4\n";
  EXPECT_EQ(read(text).ranks(), 1);
  EXPECT_EQ(error_text([&] { read_ti("r0.txt", bytes_of(text), TiRanks::all); }).empty(), false);
}

TEST_F(TiFiles, AFolderIsWhatItsDeploymentStarts) {
  write("r0.txt", "0 init\n0 send 1 0 4\n");
  write("r1.txt", "1 init\n1 recv 0 0 4\n");
  write("deployment.xml",
        "<?xml version='1.0'?>\n<platform version=\"4.1\">\n"
        "  <actor host=\"a\" function=\"0\"><argument value=\"r0.txt\"/></actor>\n"
        "  <actor host=\"b\" function=\"1\"><argument value='r1.txt' /></actor>\n</platform>\n");
  write("notes.txt", "Two ranks.\n");
  ASSERT_TRUE(looks_like_ti(scratch_.path(), {}));
  EXPECT_EQ(read_whole().ranks(), 2);
}

TEST_F(TiFiles, DamagedDeploymentsAreNone) {
  write("r0.txt", "0 init\n");
  for (const std::string_view text :
       {"<", "<argument", "<argument value=", "<argument value=\"", "<argument value=\"r0.txt"}) {
    EXPECT_FALSE(looks_like_ti(scratch_ / "deployment.xml", bytes_of(text))) << text;
  }
}

TEST_F(TiFiles, TellsWhichFileOfAListIsMissing) {
  write("r1.txt", "1 init\n1 recv 0 0 4\n");
  write("list", "r0.txt\nr1.txt\n");
  EXPECT_THAT(error_of_folder(), AllOf(HasSubstr("r0.txt'"), HasSubstr("is missing")));
  write("r0.txt", "0 init\n0 send 1 0 4\n");
  EXPECT_EQ(read_whole().ranks(), 2);
}

TEST(TiReader, TellsTheMissingFileOfAList) {
  const auto missing = [](std::string_view text) {
    return missing_listed_file("list.txt", std::as_bytes(std::span(text)));
  };
  EXPECT_EQ(missing("# ranks\nno/such/trace0.txt\n"), "no/such/trace0.txt");
  EXPECT_EQ(missing("This is no trace.\n"), std::nullopt);
  EXPECT_EQ(missing("word\n"), std::nullopt);
  EXPECT_EQ(missing(""), std::nullopt);
}

TEST(TiReader, ARankBeyondTheNumberOfLinesCostsItself) {
  const Trace trace = read("0 init\n16000000 init\n1 init\n");
  EXPECT_EQ(trace.ranks(), 2);
  EXPECT_EQ(trace.findings().entries().front().count, 1u);
}

TEST(TiReader, TakesAListOfFiles) {
  const auto folder = std::filesystem::temp_directory_path() / "slackline_ti_test";
  std::filesystem::create_directories(folder);
  write_file(folder / "r0.txt", "0 init\n0 send 1 0 4\n");
  write_file(folder / "r1.txt", "1 init\n1 recv 0 0 4\n");
  write_file(folder / "list", "r0.txt\nr1.txt\n");
  const MappedFile list(folder / "list");
  EXPECT_TRUE(looks_like_ti(folder / "list", list.bytes()));
  const Trace trace = read_ti(folder / "list", list.bytes());
  EXPECT_EQ(trace.ranks(), 2);
  EXPECT_EQ(trace.calls(1)[1].bytes, 4u);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace slackline
