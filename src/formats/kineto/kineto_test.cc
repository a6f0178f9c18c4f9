#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <string>

#include "base/file.h"
#include "base/testing/scratch_folder.h"
#include "formats/findings.h"
#include "formats/kineto/event.h"
#include "formats/kineto/json_values.h"
#include "formats/kineto/rank_builder.h"
#include "formats/kineto/reader.h"

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
  // Its only step counts up to the last event.
  ASSERT_THAT(cut.ranks.at(0).steps, SizeIs(1));
  EXPECT_EQ(cut.ranks[0].steps[0].time, (TimeSpan{1'000'000, 1'002'000}));
}

std::string event(const char* category, const char* name, int thread, int begin, int duration,
                  const std::string& arguments = "") {
  return fmt::format(
      R"({{"ph": "X", "cat": "{}", "name": "{}", "tid": {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
      category, name, thread, begin, duration, arguments);
}

std::string launch(int begin, int correlation) {
  return event("cuda_runtime", "cudaLaunchKernel", 5, begin, 2,
               fmt::format(R"("correlation": {})", correlation));
}

std::string kernel(const char* name, int begin, int duration, int correlation, int device = 0,
                   const std::string& more = "") {
  return event(
      "kernel", name, 7, begin, duration,
      fmt::format(R"("stream": 7, "device": {}, "correlation": {}{})", device, correlation, more));
}

// Steps of 100, each with a kernel of 80 that the CPU launches 30 ahead; the file ends in the third
// one, as it was sorted by time, or with the kernels behind everything else.
TEST(Kineto, KeepsWholeStepsOfACutProfile) {
  std::vector<std::string> cpu;
  std::vector<std::string> gpu;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "ProfilerStep#" + std::to_string(i);
    cpu.push_back(event("user_annotation", name.c_str(), 5, 100 * i, 100));
    cpu.push_back(launch(100 * i + 10, i + 1));
    gpu.push_back(kernel("gemm", 100 * i + 40, 80, i + 1));
  }
  const std::string by_time = profile_of(0, {cpu[0], cpu[1], gpu[0], cpu[2], cpu[3], gpu[1], cpu[4],
                                             cpu[5], gpu[2], cpu[6], cpu[7], gpu[3]});
  const std::string by_kind = profile_of(0, {cpu[0], cpu[1], cpu[2], cpu[3], cpu[4], cpu[5], cpu[6],
                                             cpu[7], gpu[0], gpu[1], gpu[2], gpu[3]});
  for (const std::string& whole : {by_time, by_kind}) {
    // Kernel 2, launched in step 2, is the last one to be read: it began at 240.
    const TrainingRun run = read(whole.substr(0, whole.find(gpu[2]) + gpu[2].size()));
    const ProfiledRank& rank = run.ranks.at(0);
    ASSERT_THAT(rank.steps, SizeIs(2));
    EXPECT_EQ(rank.steps[1].time, (TimeSpan{100'000, 200'000}));
    EXPECT_GE(run.findings.count(kCutSteps), 1u);
    EXPECT_EQ(read(whole).ranks.at(0).steps.size(), 4u);
  }
}

GpuWork work_of(const TrainingRun& run, std::size_t kernel = 0) {
  return run.ranks.at(0).gpu.at(kernel).work;
}

TEST(Kineto, FindsCommunicationByTheOperatorThatLaunchedIt) {
  const std::string all_reduce =
      event("cpu_op", "vllm::all_reduce", 5, 0, 50, R"("External id": 3)");
  const std::string annotated = event("user_annotation", "nccl:all_reduce", 5, 0, 50);
  const std::string copy = event("cpu_op", "aten::copy_", 5, 5, 30);
  const std::string sum = event("cpu_op", "aten::sum", 5, 0, 50);
  for (const std::string& around : {all_reduce, annotated}) {
    EXPECT_EQ(work_of(read(profile_of(0, {around, launch(10, 1), kernel("k", 60, 9, 1)}))),
              GpuWork::communication);
    EXPECT_EQ(work_of(read(profile_of(0, {around, copy, launch(10, 1), kernel("k", 60, 9, 1)}))),
              GpuWork::computation);
    EXPECT_EQ(work_of(read(profile_of(
                  0, {around, launch(10, 1), kernel("void at::native::cat<int>", 60, 9, 1)}))),
              GpuWork::computation);
    EXPECT_EQ(work_of(read(profile_of(0, {around, launch(51, 1), kernel("k", 60, 9, 1)}))),
              GpuWork::computation);
  }
  // Without its launch, by the identifier of its operator.
  EXPECT_EQ(
      work_of(read(profile_of(0, {all_reduce, kernel("k", 60, 9, 1, 0, R"(, "External id": 3)")}))),
      GpuWork::communication);
  EXPECT_EQ(work_of(read(profile_of(0, {sum, launch(10, 1), kernel("my_all_reduce", 60, 9, 1)}))),
            GpuWork::computation);
}

TEST(Kineto, TakesMetadataFromTheOperator) {
  const std::string described =
      event("cpu_op", "record_param_comms", 5, 0, 50,
            R"("Collective name": "allreduce", "Process Group Name": "tp", "Group size": 2)");
  const TrainingRun run = read(
      profile_of(0, {described, launch(10, 1), kernel("rcclGenericKernel<1, true>(a)", 60, 9, 1)}));
  const GpuActivity& activity = run.ranks.at(0).gpu.at(0);
  EXPECT_EQ(activity.work, GpuWork::communication);
  ASSERT_NE(activity.collective, kNotRecorded);
  EXPECT_EQ(run.ranks[0].collectives.at(activity.collective).group, "tp");
}

TEST(Kineto, NamesKernelsThatOnlyLookLikeCommunication) {
  const TrainingRun run =
      read(profile_of(0, {kernel("future_all_gather", 60, 9, 1),
                          kernel("ncclDevKernel_AllGather_RING(a)", 70, 9, 2)}));
  EXPECT_EQ(work_of(run, 0), GpuWork::communication);
  EXPECT_EQ(run.findings.count(kOnlyNamedLikeCommunication), 1u);
}

TEST(Kineto, TellsStreamsOfDevicesApart) {
  const TrainingRun run =
      read(profile_of(0, {kernel("a", 0, 10, 1, 0), kernel("a", 10, 10, 2, 1)}));
  const ProfiledRank& rank = run.ranks.at(0);
  ASSERT_THAT(rank.locations, SizeIs(2));
  EXPECT_THAT(devices_of(rank), ElementsAre(0, 1));
  EXPECT_EQ(location_name(rank, rank.gpu[1].location), "GPU 1, stream 7");
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
  EXPECT_EQ(run.findings.count(kCutSteps), 0u);
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

constexpr const char* kSilent = R"({"schemaVersion": 1, "traceEvents": []})";

std::vector<std::int32_t> ranks_of(const TrainingRun& run) {
  std::vector<std::int32_t> ranks;
  for (const ProfiledRank& rank : run.ranks) ranks.push_back(rank.rank);
  return ranks;
}

TEST(Kineto, TakesRanksFromNamesWhereFilesDoNotSayThem) {
  const ScratchFolder scratch;
  write_file(scratch.path() / "rank-3.Jun_07.4711.json", kSilent);
  write_file(scratch.path() / "rank-12.Jun_07.4710.json", kSilent);
  const TrainingRun run = read_kineto(kineto_files(scratch.path()));
  EXPECT_THAT(ranks_of(run), ElementsAre(3, 12));
  EXPECT_EQ(run.findings.count(kRankGuessed), 2u);
  EXPECT_EQ(run.findings.count(kMissingRanks), 11u);
}

TEST(Kineto, NumbersFilesInOrderWhereNamesDoNotTellRanks) {
  const ScratchFolder scratch;
  for (const char* const name : {"h_9.1700000000000000002.json", "h_10.1700000000000000001.json"}) {
    write_file(scratch.path() / name, kSilent);
  }
  const TrainingRun run = read_kineto(kineto_files(scratch.path()));
  EXPECT_THAT(ranks_of(run), ElementsAre(0, 1));
  EXPECT_EQ(run.findings.count(kMissingRanks), 0u);
  ASSERT_EQ(run.findings.entries().size(), 1u);
  EXPECT_EQ(run.findings.entries().front().examples.front(),
            "h_9.1700000000000000002.json: rank 0");
}

TEST(Kineto, BelievesFilesAndNotNames) {
  const ScratchFolder scratch;
  const auto said = [](const char* rank) {
    return fmt::format(
        R"({{"schemaVersion": 1, "traceEvents": [], "distributedInfo": {{"rank": {}, "world_size": "3"}}}})",
        rank);
  };
  write_file(scratch.path() / "rank0.json", said("1"));
  write_file(scratch.path() / "rank1.json", said("\"2\""));
  write_file(scratch.path() / "rank2.json", kSilent);
  const TrainingRun run = read_kineto(kineto_files(scratch.path()));
  EXPECT_EQ(run.world_size, 3);
  EXPECT_THAT(ranks_of(run), ElementsAre(0, 1, 2));
}

TEST(Kineto, TakesALoneProfileAsOneRank) {
  const ScratchFolder scratch;
  const auto file = scratch.path() / "gpt_batch_0512.json";
  write_file(file, kSilent);
  for (const auto& path : {scratch.path(), file}) {
    const TrainingRun run = read_kineto(kineto_files(path));
    EXPECT_THAT(ranks_of(run), ElementsAre(0));
    EXPECT_TRUE(run.findings.empty());
  }
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
