// What counts as computation, from the option to T.

#include "app/load/computation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "app/requests/model_requests.h"
#include "app/requests/trace_requests.h"
#include "base/error.h"
#include "base/file.h"
#include "base/testing/scratch_folder.h"
#include "formats/testing/text_trace.h"
#include "report/report.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kShared = "finding oversubscribed notice 1 \"Oversubscribed ranks.\"\n";
/// 1000 ns between MPI_Init and MPI_Finalize, 300 of them off the processor.
constexpr const char* kRank = "rank 0\n @0 +50 init\n @650 +300 pause\n @1050 finalize\n";

/// T of that rank, which does nothing but compute, with the option as given.
class Computing : public ::testing::Test {
 protected:
  Report predicted(bool shared, const std::string& computation) {
    write_file(file_,
               std::string("slackline-trace 1 timed ranks=1\n") + (shared ? kShared : "") + kRank);
    PredictRequest request;
    request.input.trace = file_.string();
    request.input.model.computation = computation;
    return execute(request);
  }

  ScratchFolder folder_;
  fs::path file_ = folder_ / "run.txt";
};

TEST_F(Computing, IsCpuTimeWhereRanksSharedProcessors) {
  const Report report = predicted(true, "auto");
  EXPECT_EQ(report.result["makespan_ns"].as_double(), 700);
  EXPECT_EQ(report.options["computation"].as_string(), "cpu");
  EXPECT_EQ(report.findings.entries().back().name, "computation_is_cpu_time");
}

// More than a hundredth of the time without a processor counts, however few ranks there are.
TEST_F(Computing, IsCpuTimeWhereOthersHadTheProcessor) {
  for (const int paused : {5, 300}) {
    write_file(file_, fmt::format("slackline-trace 1 timed ranks=1\nrank 0\n @0 +50 init\n"
                                  " @650 +{} pause no_processor\n @1050 finalize\n",
                                  paused));
    PredictRequest request;
    request.input.trace = file_.string();
    EXPECT_EQ(execute(request).result["makespan_ns"].as_double(), paused == 5 ? 1000 : 700);
  }
}

TEST_F(Computing, TheMeasuredRunStaysWhatWasMeasured) {
  EXPECT_EQ(predicted(true, "cpu").result["measured_ns"].as_int(), 1000);
}

TEST_F(Computing, IsWallTimeOnRequest) {
  const Report report = predicted(true, "wall");
  EXPECT_EQ(report.result["makespan_ns"].as_double(), 1000);
  EXPECT_EQ(report.options["computation"].as_string(), "wall");
}

TEST_F(Computing, IsWallTimeWhereEveryRankHadAProcessor) {
  EXPECT_EQ(predicted(false, "auto").result["makespan_ns"].as_double(), 1000);
  EXPECT_EQ(predicted(false, "cpu").result["makespan_ns"].as_double(), 700);
}

// 10 ns a barrier, 10 barriers: a tenth of the computation.
TEST_F(Computing, IsWithoutTheRecordingOfCalls) {
  std::string text =
      "slackline-trace 1 timed ranks=1\nrank 0\n recording barrier 6 4\n @0 +50 init\n";
  for (int i = 1; i <= 10; ++i) text += fmt::format(" @{} barrier\n", 50 + 100 * i);
  write_file(file_, text + " @1150 finalize\n");
  PredictRequest request;
  request.input.trace = file_.string();
  EXPECT_EQ(execute(request).result["makespan_ns"].as_double(), 1000);
  EXPECT_EQ(execute(request).findings.entries().back().name, "recording_left_out");
  const Report same = execute(WhatifRequest{.input = request.input, .edits = {"scale factor=1"}});
  EXPECT_EQ(same.result["before"]["makespan_ns"].as_double(), 1000);
  EXPECT_EQ(same.result["after"]["makespan_ns"].as_double(), 1000);
  const Report half = execute(WhatifRequest{.input = request.input, .edits = {"scale factor=0.5"}});
  EXPECT_EQ(half.result["after"]["makespan_ns"].as_double(), 500);
  request.input.model.computation = "wall";
  EXPECT_EQ(execute(request).result["makespan_ns"].as_double(), 1100);
}

// 1.2 % of the time between calls, but less than a hundredth of the run, which is mostly in MPI.
TEST_F(Computing, IsTheSameOfAProgramWithoutTheTimesOfItsCalls) {
  std::string text =
      "slackline-trace 1 timed ranks=1\nrank 0\n recording barrier 6 6\n @0 +50 init\n";
  for (int i = 1; i <= 10; ++i) text += fmt::format(" @{} +9000 barrier\n", 10'000 * i - 8950);
  write_file(file_, text + " @100050 finalize\n");
  PredictRequest request;
  request.input.trace = file_.string();
  const double makespan = execute(request).result["makespan_ns"].as_double();
  EXPECT_EQ(execute(request).findings.entries().back().name, "recording_left_out");
  const std::string saved = file_.string() + ".edited.slk";
  execute(WhatifRequest{.input = request.input, .edits = {"scale factor=1"}, .save = saved});
  request.input.trace = saved;
  EXPECT_EQ(execute(request).result["makespan_ns"].as_double(), makespan);
}

/// T of that rank, and what converting it to another format found.
class ConvertedComputing : public Computing {
 protected:
  double makespan_of(const std::string& extension, const std::string& computation) {
    predicted(true, "auto");
    ConvertRequest request;
    request.input.trace = file_.string();
    request.input.model.computation = computation;
    request.out = file_.string() + extension;
    findings_ = execute(request).findings;
    PredictRequest predict;
    predict.input.trace = request.out;
    const double makespan = execute(predict).result["makespan_ns"].as_double();
    fs::remove_all(request.out);
    return makespan;
  }

  std::size_t count(std::string_view name) const {
    std::size_t n = 0;
    for (const Findings::Entry& entry : findings_.entries()) n += entry.name == name;
    return n;
  }

 private:
  Findings findings_;
};

TEST_F(ConvertedComputing, ProgramsHoldCpuTime) {
  for (const char* extension : {".goal", ".bin", ".ti"}) {
    EXPECT_EQ(makespan_of(extension, "auto"), 700) << extension;
    EXPECT_EQ(count("computation_is_cpu_time"), 1u) << extension;
    EXPECT_EQ(makespan_of(extension, "wall"), 1000) << extension;
    EXPECT_EQ(count("computation_is_cpu_time"), 0u) << extension;
  }
}

TEST_F(ConvertedComputing, NativeTracesKeepBoth) {
  EXPECT_EQ(makespan_of(".slk", "auto"), 700);
  EXPECT_EQ(count("cpu_time_lost"), 0u);
}

TEST_F(ConvertedComputing, OtherTracesSayThatTheyLoseIt) {
  EXPECT_EQ(makespan_of(".prv", "auto"), 1000);
  EXPECT_EQ(count("cpu_time_lost"), 1u);
}

TEST(ChooseComputation, SaysWhereCpuTimeIsUnknown) {
  const Trace trace = testing::timed_trace(1, "rank 0\n @0 +50 init\n @1050 finalize\n");
  const ComputationChoice computation = choose_computation("cpu", trace);
  EXPECT_EQ(computation.name, "wall");
  EXPECT_FALSE(computation.cpu_time.has_value());
  ASSERT_EQ(computation.findings.entries().size(), 1u);
  EXPECT_EQ(computation.findings.entries().front().name, "cpu_time_unknown");
  EXPECT_THROW(choose_computation("user", trace), Error);
}

}  // namespace
}  // namespace slackline
