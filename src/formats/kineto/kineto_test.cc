#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <string>

#include "base/file.h"
#include "base/testing/scratch_folder.h"
#include "formats/kineto/event.h"
#include "formats/kineto/findings.h"
#include "formats/kineto/json_values.h"
#include "formats/kineto/reader.h"
#include "formats/reader_findings.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr const char* kStep =
    R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#12", "tid": 5, "ts": 1000, "dur": 90})";
constexpr const char* kOperator =
    R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "tid": 5, "ts": 1000.5, "dur": 20.25,
        "args": {"Input Dims": [[4, 8], [8, 2]], "Concrete Inputs": ["", "{\"a]"]}})";
constexpr const char* kLaunch =
    R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 5, "ts": 1002, "dur": 3,
        "args": {"correlation": 77}})";
constexpr const char* kUnusedCall =
    R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaEventQuery", "tid": 5, "ts": 1001, "dur": 3,
        "args": {"correlation": 78}})";
constexpr const char* kKernel =
    R"({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1010, "dur": 30,
        "args": {"stream": 7, "correlation": 77}})";
constexpr const char* kNccl =
    R"~({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f16_RING_LL(a*)", "tid": 24,
        "ts": 1050, "dur": 10, "args": {"stream": 24, "correlation": 79, "Collective name": "allreduce",
        "In msg nelems": 4096, "Out msg nelems": 4096, "dtype": "Half", "Group size": 2,
        "Process Group Name": "tp", "Process Group Ranks": "[0, 3]"}})~";

std::string profile_of(int rank, std::initializer_list<std::string> events) {
  std::string text = R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" +
                     std::to_string(rank) + R"(, "world_size": 2}, "traceEvents": [)";
  const char* comma = "";
  for (const std::string& event : events) {
    text += comma + event;
    comma = ",\n";
  }
  return text + R"(], "traceName": "x.json"})";
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TrainingRun read(const std::string& text) {
  return read_kineto(bytes_of(text), "x.json");
}

TEST(KinetoProbe, TakesKeysInAnyOrder) {
  const std::string last =
      std::string(R"({"traceEvents": [)") + kOperator + R"(], "schemaVersion": 1})";
  EXPECT_TRUE(looks_like_kineto(bytes_of(last)));
  EXPECT_FALSE(looks_like_kineto(bytes_of(
      R"({"traceEvents": [{"ph": "X", "cat": "mpi", "name": "MPI_Send", "ts": 1, "dur": 2}]})")));
}

TEST(Kineto, ReadsThreadsStreamsAndLaunches) {
  const TrainingRun run =
      read(profile_of(1, {kStep, kOperator, kUnusedCall, kLaunch, kKernel, kNccl}));
  EXPECT_EQ(run.world_size, 2);
  ASSERT_THAT(run.ranks, SizeIs(1));
  const ProfiledRank& rank = run.ranks[0];
  EXPECT_EQ(rank.rank, 1);
  ASSERT_THAT(rank.steps, SizeIs(1));
  EXPECT_EQ(rank.steps[0].number, 12);
  EXPECT_EQ(rank.steps[0].time, (TimeSpan{1'000'000, 1'090'000}));
  ASSERT_THAT(rank.cpu, SizeIs(1));
  EXPECT_EQ(rank.name(rank.cpu[0].name), "aten::mm");
  EXPECT_EQ(rank.cpu[0].time, (TimeSpan{1'000'500, 1'020'750}));
  ASSERT_THAT(rank.runtime_calls, SizeIs(1));  // what neither launches nor synchronises is dropped
  ASSERT_THAT(rank.gpu, SizeIs(2));
  EXPECT_EQ(rank.gpu[0].work, GpuWork::computation);
  EXPECT_EQ(rank.gpu[0].launch, 0u);
  EXPECT_TRUE(rank.locations[rank.gpu[0].location].stream);
  EXPECT_EQ(rank.locations[rank.gpu[0].location].id, 7);
  EXPECT_EQ(rank.gpu[1].work, GpuWork::communication);
  EXPECT_EQ(rank.gpu[1].launch, kNotRecorded);
}

TEST(Kineto, ReadsWhatNcclKernelsSay) {
  const ProfiledRank rank = read(profile_of(0, {kNccl})).ranks.at(0);
  ASSERT_THAT(rank.collectives, SizeIs(1));
  const CollectiveDetail& detail = rank.collectives[0];
  EXPECT_EQ(detail.operation, "allreduce");
  EXPECT_EQ(detail.group, "tp");
  EXPECT_EQ(detail.data_type, "Half");
  EXPECT_EQ(detail.in_elements, 4096u);
  EXPECT_EQ(detail.group_size, 2);
  EXPECT_THAT(detail.ranks, ElementsAre(0, 3));
}

TEST(Kineto, AddsTheBaseTimeWhereverItStands) {
  std::string text = profile_of(0, {kKernel});
  text.back() = ',';
  const ProfiledRank rank =
      read(text + R"("baseTimeNanoseconds": 1700000000000000000})").ranks.at(0);
  EXPECT_EQ(rank.gpu.at(0).time.begin_ns, 1700000000001010000);
}

TEST(Kineto, KeepsWhatStandsBeforeTheEndOfATruncatedFile) {
  const std::string whole = profile_of(0, {kStep, kLaunch, kKernel});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const TrainingRun run = read(whole.substr(0, size));
    EXPECT_EQ(run.findings.count(kTruncatedFile), 1u) << size;
  }
  const TrainingRun cut = read(whole.substr(0, whole.find("gemm")));
  EXPECT_THAT(cut.ranks.at(0).runtime_calls, SizeIs(0));  // its kernel is lost
  EXPECT_THAT(cut.ranks.at(0).steps, SizeIs(1));
}

TEST(Kineto, OmitsATruncatedRankBesideCompleteOnes) {
  const ScratchFolder scratch;
  const std::string cut = profile_of(2, {kStep, kOperator, kNccl}).substr(0, 400);
  write_file(scratch.path() / "a.json", profile_of(0, {kStep, kNccl}));
  write_file(scratch.path() / "b.json", profile_of(1, {kStep, kNccl}));
  write_file(scratch.path() / "c.json", cut);
  const TrainingRun run = read_kineto(kineto_files(scratch.path()));
  EXPECT_THAT(run.ranks, SizeIs(2));
  EXPECT_EQ(run.findings.count(kTruncatedFile), 1u);
  EXPECT_EQ(run.findings.count(kTruncatedRank), 1u);
  // Where all are truncated, each is as good as the other.
  write_file(scratch.path() / "a.json", profile_of(0, {kStep, kOperator, kNccl}).substr(0, 400));
  std::filesystem::remove(scratch.path() / "b.json");
  const TrainingRun all_cut = read_kineto(kineto_files(scratch.path()));
  EXPECT_THAT(all_cut.ranks, SizeIs(2));
  EXPECT_EQ(all_cut.findings.count(kTruncatedRank), 0u);
}

TEST(Kineto, OmitsOnlyTheDamagedEvent) {
  const TrainingRun run = read(profile_of(
      0, {R"({"ph": "X", "cat": "kernel", "name": })", R"({"ph": "X", "cat": "kernel", "ts": 1})",
          R"({"ph": "X", "cat": "kernel", "ts": 1, "dur": -4})", "17", kKernel}));
  EXPECT_EQ(run.findings.count(kDamagedRecord), 4u);
  EXPECT_EQ(run.findings.count(kTruncatedFile), 0u);
  EXPECT_THAT(run.ranks.at(0).gpu, SizeIs(1));
}

std::string by_zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  return packed;
}

std::string by_gzip(const std::string& text) {
  constexpr int kGzipWindow = 15 + 16;
  z_stream stream{};
  deflateInit2(&stream, 1, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  std::string source = text;
  stream.next_in = reinterpret_cast<Bytef*>(source.data());
  stream.avail_in = static_cast<uInt>(source.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// Texts of several windows, whole and cut, and of several members.
TEST(Kineto, InflatesGzipAndZstd) {
  std::string events = kKernel;
  for (int i = 1; i < 5000; ++i) events += std::string(",\n") + kKernel;
  const std::string text = profile_of(0, {events});
  for (const auto pack : {by_zstd, by_gzip}) {
    const std::string packed = pack(text);
    EXPECT_TRUE(looks_like_kineto(bytes_of(packed)));
    const TrainingRun whole = read(packed);
    EXPECT_EQ(whole.ranks.at(0).gpu.size(), 5000u);
    EXPECT_TRUE(whole.findings.count(kTruncatedFile) == 0);
    const TrainingRun cut = read(packed.substr(0, packed.size() - 20));
    EXPECT_EQ(cut.findings.count(kTruncatedFile), 1u);
    const std::size_t half = text.size() / 2;
    const TrainingRun members = read(pack(text.substr(0, half)) + pack(text.substr(half)));
    EXPECT_EQ(members.ranks.at(0).gpu.size(), 5000u);
  }
}

TEST(Kineto, CountsMissingAndRepeatedRanks) {
  const ScratchFolder scratch;
  write_file(scratch.path() / "a.json", profile_of(1, {kKernel}));
  write_file(scratch.path() / "b.json", profile_of(1, {kKernel}));
  write_file(scratch.path() / "notes.json", "{}");
  const auto files = kineto_files(scratch.path());
  ASSERT_THAT(files, SizeIs(2));
  const TrainingRun run = read_kineto(files);
  EXPECT_THAT(run.ranks, SizeIs(1));
  EXPECT_EQ(run.findings.count(kRankTwice), 1u);
  EXPECT_EQ(run.findings.count(kMissingRanks), 1u);
}

TEST(Kineto, TakesTheRankFromTheNameIfNobodySaysIt) {
  const ScratchFolder scratch;
  const std::string text = R"({"schemaVersion": 1, "traceEvents": []})";
  write_file(scratch.path() / "worker3.json", text);
  write_file(scratch.path() / "worker12.json", text);
  const TrainingRun run = read_kineto(kineto_files(scratch.path()));
  ASSERT_THAT(run.ranks, SizeIs(2));
  EXPECT_EQ(run.ranks[0].rank, 3);
  EXPECT_EQ(run.ranks[1].rank, 12);
  EXPECT_EQ(run.findings.count(kRankGuessed), 2u);
}

TEST(Kineto, KnowsItsOwn) {
  const std::string chrome = R"({"traceEvents": [{"ph": "X"}]})";
  EXPECT_TRUE(looks_like_kineto(bytes_of(profile_of(0, {}))));
  EXPECT_FALSE(looks_like_kineto(bytes_of(chrome)));
  EXPECT_FALSE(looks_like_kineto({}));
}

TEST(Microseconds, AreExact) {
  EXPECT_EQ(nanoseconds_of_microseconds("1706850122846038.257"), 1706850122846038257);
  EXPECT_EQ(nanoseconds_of_microseconds("12"), 12000);
  EXPECT_EQ(nanoseconds_of_microseconds("0.5"), 500);
  EXPECT_EQ(nanoseconds_of_microseconds("-3.25"), -3250);
  EXPECT_EQ(nanoseconds_of_microseconds("1e3"), std::nullopt);
  EXPECT_EQ(nanoseconds_of_microseconds("2251799813685249"), std::nullopt);
  EXPECT_EQ(nanoseconds_of_microseconds("99999999999999999"), std::nullopt);
  EXPECT_EQ(nanoseconds_of_microseconds(""), std::nullopt);
}

// One character at a time, so that every value crosses the border of a window.
class Drops final : public ByteSource {
 public:
  explicit Drops(std::string text) : text_(std::move(text)) {}
  bool append_to(std::string& text) override {
    if (next_ == text_.size()) return false;
    text += text_[next_++];
    return true;
  }

 private:
  std::string text_;
  std::size_t next_ = 0;
};

TEST(JsonValues, AreFoundAcrossWindows) {
  JsonValues values(std::make_unique<Drops>(R"( [{"a]\"": [1, {}]} , "x\\", 12.5,null] )"));
  EXPECT_TRUE(values.take('['));
  EXPECT_EQ(values.value(), R"({"a]\"": [1, {}]})");
  EXPECT_TRUE(values.take(','));
  EXPECT_EQ(values.value(), R"("x\\")");
  EXPECT_TRUE(values.take(','));
  EXPECT_EQ(values.value(), "12.5");
  EXPECT_TRUE(values.take(','));
  EXPECT_EQ(values.value(), "null");
  EXPECT_EQ(values.value(), std::nullopt);
  EXPECT_TRUE(values.take(']'));
  EXPECT_EQ(values.peek(), '\0');
}

}  // namespace
}  // namespace slackline
