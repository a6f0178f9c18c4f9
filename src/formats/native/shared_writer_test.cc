#include "formats/native/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "base/file.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"
#include "formats/native/pieces.h"
#include "formats/native/reader.h"
#include "parallel/testing/thread_processes.h"
#include "trace/rank_range.h"
#include "trace/testing/arbitrary_trace.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

RankRange own_ranks(const Trace& trace, const ProcessGroup& group) {
  const std::vector<std::uint64_t> equal(static_cast<std::size_t>(trace.ranks()), 1);
  return rank_blocks(equal, group.size())[static_cast<std::size_t>(group.rank())];
}

/// The trace with the calls of some ranks only.
Trace part_of(const Trace& trace, RankRange own) {
  TraceBuilder part{Trace(trace)};
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    if (!own.contains(rank)) part.calls(rank) = RankCallsBuilder();
  }
  return std::move(part).build();
}

Samples arbitrary_samples(const Trace& trace) {
  Samples samples{.interval_ns = *rc::gen::element<std::int64_t>(0, 5'000'000)};
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const auto calls = static_cast<std::uint32_t>(trace.calls(rank).size());
    if (!*rc::gen::arbitrary<bool>()) continue;
    samples.set(rank, {{.time_ns = 5, .cpu_ns = 7, .frame = 0, .before_call = calls, .thread = 0}});
  }
  return samples;
}

void write_together(const Trace& trace, const Samples& samples, const fs::path& path, int count,
                    std::size_t block_calls = native::kBlockCalls) {
  run_as_processes(count, [&](ProcessGroup& group) {
    const RankRange own = own_ranks(trace, group);
    write_native_together(part_of(trace, own), samples, own, path, group, block_calls);
  });
}

/// Limits the size of the files that this process writes, as long as it exists.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

RC_GTEST_PROP(SharedWriter, WritesWhatOneProcessWrites, ()) {
  const ScratchFolder folder;
  const Trace trace = testing::arbitrary_trace();
  const Samples samples = arbitrary_samples(trace);
  write_native(trace, folder / "alone.slk", samples);
  write_together(trace, samples, folder / "together.slk", *rc::gen::element(1, 2, 3, 7),
                 *rc::gen::element<std::size_t>(1, 3, native::kBlockCalls));
  const MappedFile alone(folder / "alone.slk");
  const MappedFile together(folder / "together.slk");
  Samples expected_samples, read_samples;
  const Trace expected = read_native(alone.bytes(), "alone", &expected_samples);
  const Trace read = read_native(together.bytes(), "together", &read_samples);
  RC_ASSERT(same_content(expected, read));
  RC_ASSERT(testing::same_facts(expected, read));
  RC_ASSERT(expected_samples.same_as(read_samples));
  RC_ASSERT(NativePieces(together.bytes(), "together").complete());
}

TEST(SharedWriter, IsOneProcessesFileByteForByteWhereItIsAlone) {
  const ScratchFolder folder;
  TraceBuilder trace(2, true);
  trace.calls(1).append({.operation = Operation::barrier, .begin_ns = 3, .end_ns = 4});
  trace.calls(1).set_stop_ns(9);
  write_native(trace, folder / "alone.slk");
  write_together(trace, {}, folder / "together.slk", 1);
  EXPECT_EQ(MappedFile(folder / "alone.slk").text(), MappedFile(folder / "together.slk").text());
}

TEST(SharedWriter, FailsInAllProcessesAndLeavesNoFile) {
  const ScratchFolder folder;
  const TraceBuilder trace(3, true);
  const auto failure = [&](const fs::path& path) {
    return error_text([&] { write_together(trace, {}, path, 3); });
  };
  EXPECT_THAT(failure(folder / "none" / "t.slk"), HasSubstr("No such file or directory"));
  EXPECT_FALSE(fs::exists(folder / "none"));
  const FileSizeLimit limit(64);
  EXPECT_THAT(failure(folder / "t.slk"), HasSubstr("File too large"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(SharedWriter, ReplacesAFileOfThatNameByAWholeOne) {
  const ScratchFolder folder;
  write_file(folder / "t.slk", "mine");
  const TraceBuilder trace(2, true);
  {
    const FileSizeLimit limit(64);
    EXPECT_THAT(error_text([&] { write_together(trace, {}, folder / "t.slk", 2); }),
                HasSubstr("File too large"));
  }
  EXPECT_EQ(MappedFile(folder / "t.slk").text(), "mine");
  write_together(trace, {}, folder / "t.slk", 2);
  EXPECT_EQ(read_native(MappedFile(folder / "t.slk").bytes(), "t").ranks(), 2);
}

}  // namespace
}  // namespace slackline
