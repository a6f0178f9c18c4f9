#include "formats/open/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"
#include "calls/causality.h"
#include "formats/native/writer.h"
#include "formats/text/text.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::string_view kText =
    "slackline-trace 1 timed ranks=2\nrank 0\n@100 +5 send to=1\nrank 1\n@50 +5 recv from=0\n";

std::string zstd_compressed(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

class OpenTrace : public ::testing::Test {
 protected:
  static std::string error_of(const fs::path& path) {
    return error_text([&] { open_trace(path); });
  }

  ScratchFolder scratch_;
  const fs::path& folder_ = scratch_.path();
};

TEST_F(OpenTrace, ReadsTextAndCountsCausality) {
  write_file(folder_ / "a.txt", kText);
  const OpenedTrace opened = open_trace(folder_ / "a.txt");
  EXPECT_EQ(opened.format, "text");
  EXPECT_EQ(opened.bytes, kText.size());
  EXPECT_EQ(opened.checksum.size(), 16u);
  EXPECT_EQ(opened.trace.call_count(), 2u);
  EXPECT_EQ(opened.trace.findings().count(kCausalityViolated), 1u);
}

TEST_F(OpenTrace, ReadsNativeFilesAndFoldersThatHoldOne) {
  const Trace trace = read_text(kText, "t");
  write_native(trace, folder_ / "trace.slk");
  const OpenedTrace file = open_trace(folder_ / "trace.slk");
  const OpenedTrace folder = open_trace(folder_);
  EXPECT_EQ(file.format, "native");
  EXPECT_EQ(folder.format, "native");
  EXPECT_EQ(folder.path, folder_.string());
  EXPECT_EQ(file.checksum, folder.checksum);
  EXPECT_TRUE(same_content(file.trace, trace));
}

TEST_F(OpenTrace, TakesTheOnlyTraceOfAFolder) {
  write_file(folder_ / "run.txt", kText);
  write_file(folder_ / "notes.md", "not a trace");
  const OpenedTrace opened = open_trace(folder_);
  EXPECT_EQ(opened.format, "text");
  EXPECT_EQ(opened.path, folder_.string());
  EXPECT_EQ(opened.trace.call_count(), 2u);
}

TEST_F(OpenTrace, ReadsCompressedFilesOfEveryTextFormat) {
  for (const auto& [name, text] : {
           std::pair<std::string, std::string_view>{"text", kText},
           {"goal",
            "num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n"},
           {"paraver", "#Paraver (01/01/2020 at 10:00):100_ns:1(2):1:2(1:1,1:1),0\n"},
           {"ti", "0 init\n0 send 1 0 4\n1 init\n1 recv 0 0 4\n"},
           {"dumpi",
            "MPI_Init entering at walltime 1.000000000, cputime 0.000000000 seconds in thread 0.\n"
            "MPI_Init returning at walltime 1.000000005, cputime 0.000000000 seconds in thread "
            "0.\n"},
           {"liballprof", "# allprof\nMPI_Init:-:1\nMPI_Finalize:2:-\n"},
       }) {
    const fs::path plain = folder_ / (name + "0.txt");
    write_file(plain, text);
    const OpenedTrace expected = open_trace(plain);
    fs::remove(plain);
    const fs::path file = plain.string() + ".zst";
    write_file(file, zstd_compressed(text));
    const OpenedTrace opened = open_trace(file);
    EXPECT_EQ(opened.format, name);
    EXPECT_TRUE(same_content(opened.trace, expected.trace)) << name;
    EXPECT_EQ(opened.bytes, fs::file_size(file));
    EXPECT_NE(opened.checksum, expected.checksum);
    EXPECT_EQ(open_goal(file).has_value(), name == "goal");
    fs::remove(file);
  }
}

TEST_F(OpenTrace, ReadsTheOnlyTraceOfAFolderCompressed) {
  write_file(folder_ / "run.txt.zst", zstd_compressed(kText));
  write_file(folder_ / "notes.zst", zstd_compressed("not a trace"));
  EXPECT_EQ(open_trace(folder_).trace.call_count(), 2u);
}

TEST_F(OpenTrace, NeverTakesSomeOfAFoldersRanks) {
  write_file(folder_ / "README", "Two ranks.\n");
  write_file(folder_ / "r0.txt", "0 init\n0 send 1 0 4\n");
  write_file(folder_ / "r1.txt", "damaged\n1 what\n");
  EXPECT_THAT(error_of(folder_), HasSubstr("no actions of rank 1"));
  EXPECT_EQ(open_trace(folder_ / "r0.txt").trace.ranks(), 1);
}

TEST_F(OpenTrace, RefusesContentOfAMultipleOfTheFile) {
  const std::string blank(std::size_t{65} << 20, ' ');
  write_file(folder_ / "a.txt", zstd_compressed(std::string(kText) + "#" + blank + "\n"));
  EXPECT_THAT(error_of(folder_ / "a.txt"), HasSubstr("more than 64 times as large"));
  write_file(folder_ / "a.json",
             zstd_compressed(R"({"schemaVersion": 1, "traceEvents": [)" + blank + "]}"));
  EXPECT_THAT(error_text([&] { open_training(folder_ / "a.json"); }),
              HasSubstr("more than 64 times as large"));
}

TEST_F(OpenTrace, SkipsAByteOrderMark) {
  const std::string mark = "\xEF\xBB\xBF";
  write_file(folder_ / "a.txt", mark + std::string(kText));
  EXPECT_EQ(open_trace(folder_ / "a.txt").trace.call_count(), 2u);
  write_file(folder_ / "a.zst", zstd_compressed(mark + std::string(kText)));
  EXPECT_EQ(open_trace(folder_ / "a.zst").trace.call_count(), 2u);
  write_file(folder_ / "a.json", mark + R"({"schemaVersion": 1, "traceEvents": []})");
  EXPECT_TRUE(open_training(folder_ / "a.json"));
}

TEST_F(OpenTrace, DoesNotChooseAmongTheTracesOfAFolder) {
  write_file(folder_ / "b.txt", kText);
  write_file(folder_ / "a.txt", kText);
  EXPECT_THAT(error_of(folder_), HasSubstr("it contains 2 traces"));
  EXPECT_THAT(error_of(folder_),
              HasSubstr("Name one, for example " + (folder_ / "a.txt").string()));
}

TEST_F(OpenTrace, LeavesTrainingRunsToThoseWhoAskForThem) {
  write_file(folder_ / "rank0.json", R"({"schemaVersion": 1, "traceEvents": []})");
  const auto opened = open_training(folder_);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->run.ranks.size(), 1u);
  EXPECT_EQ(opened->checksum.size(), 16u);
  EXPECT_THAT(error_of(folder_), HasSubstr("it is a profile of a training run"));
  EXPECT_THAT(error_of(folder_ / "rank0.json"), HasSubstr("slackline report"));
  write_file(folder_ / "run.txt", kText);
  EXPECT_FALSE(open_training(folder_ / "run.txt"));
}

// The corpora of the fuzz targets, by format, have damaged inputs too: a reader that does not know
// one of them as its own must leave it to nobody else.
TEST(TraceReaders, TakeNoInputOfAnotherFormat) {
  const fs::path corpora = fs::path(SLACKLINE_SOURCE_DIR) / "test/fuzz/corpus";
  for (const TraceReader& owner : trace_readers()) {
    const fs::path corpus = corpora / owner.name;
    ASSERT_TRUE(fs::is_directory(corpus)) << corpus << ": every reader has a fuzz target";
    for (const auto& entry : fs::directory_iterator(corpus)) {
      const MappedFile file(entry.path());
      const TraceInput input{entry.path(), false, file.bytes()};
      const auto taker = std::ranges::find_if(
          trace_readers(), [&](const TraceReader& reader) { return reader.probe(input); });
      if (taker == trace_readers().end()) continue;
      EXPECT_EQ(taker->name, owner.name)
          << entry.path() << ": let the probe of " << taker->name << " refuse it, or the entry of "
          << owner.name << " stand above";
    }
  }
}

TEST_F(OpenTrace, TheChecksumTellsInputsApart) {
  write_file(folder_ / "a.txt", kText);
  write_file(folder_ / "b.txt", std::string(kText) + "# more\n");
  EXPECT_EQ(open_trace(folder_ / "a.txt").checksum, open_trace(folder_ / "a.txt").checksum);
  EXPECT_NE(open_trace(folder_ / "a.txt").checksum, open_trace(folder_ / "b.txt").checksum);
}

TEST_F(OpenTrace, SaysWhatWasSeenAndWhatIsAccepted) {
  EXPECT_THAT(error_of(folder_ / "none.slk"), HasSubstr("No such file"));
  EXPECT_THAT(error_of(folder_), HasSubstr("the folder contains none"));
  write_file(folder_ / "empty", "");
  EXPECT_THAT(error_of(folder_ / "empty"), HasSubstr("the file is empty"));
  write_file(folder_ / "png", "\x89PNG\r\n");
  EXPECT_THAT(error_of(folder_ / "png"), HasSubstr("its beginning, \"\\x89PNG\\x0d\\x0a\""));
  EXPECT_THAT(error_of(folder_ / "png"), HasSubstr("a trace in text format"));
}

}  // namespace
}  // namespace slackline
