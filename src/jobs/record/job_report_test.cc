#include "jobs/record/job_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "base/error.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string value_of(const Environment& environment, const std::string& name) {
  for (const auto& [key, value] : environment) {
    if (key == name) return value;
  }
  return "none";
}

TEST(JobAnalysisEnvironment, NamesSectionsAndLimits) {
  EXPECT_TRUE(job_analysis_environment({}, "report.txt").empty());
  const Environment all = job_analysis_environment({.analyses = job_analyses()}, "report.txt");
  EXPECT_EQ(value_of(all, "SLACKLINE_ANALYSE"), "path,waits,efficiency,model");
  EXPECT_EQ(value_of(all, "SLACKLINE_ANALYSE_REPORT"), "report.txt");
  EXPECT_EQ(value_of(all, "SLACKLINE_ANALYSE_LIMITS"), "0.1 2 0");
  const Environment some = job_analysis_environment(
      {.analyses = "lambda,waits", .time = "30s", .memory = "2KiB"}, "a.json");
  EXPECT_EQ(value_of(some, "SLACKLINE_ANALYSE"), "model,waits");
  EXPECT_EQ(value_of(some, "SLACKLINE_ANALYSE_LIMITS"), "0 30 2048");
}

TEST(JobAnalysisEnvironment, RefusesWhatIsUnknown) {
  for (const JobAnalysisChoice& choice :
       {JobAnalysisChoice{.analyses = "waits,lamda"},
        JobAnalysisChoice{.analyses = "waits", .time = "soon"},
        JobAnalysisChoice{.analyses = "waits", .memory = "much"}}) {
    EXPECT_THROW(job_analysis_environment(choice, "a.json"), Error);
  }
}

TEST(NamesReport, ByTheExtension) {
  EXPECT_TRUE(names_report("a/b.json") && names_report("b.txt") && names_report("b.html"));
  EXPECT_FALSE(names_report("b") || names_report("b.slk") || names_report("b.d/c"));
}

class TakeJobReport : public ::testing::Test {
 protected:
  TakeJobReport() { fs::create_directories(folder_ / "raw"); }
  ~TakeJobReport() override { fs::remove_all(folder_); }
  void write(const fs::path& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  AnalysedJob take() { return take_job_report(folder_, "report.json", folder_ / "final.json"); }

  fs::path folder_ =
      fs::temp_directory_path() / ("slackline-job-report-" + std::to_string(getpid()));
};

TEST_F(TakeJobReport, GivesItItsName) {
  write("report.json", "{}");
  write("raw/analysis.costs",
        "end ended\nstatus 0\nrun_ns 1000\ncpu_ns 30\nmemory_kib 2\nexchanged_bytes 20\n"
        "rank 0 50 7\nrank 1 40 9\n");
  const AnalysedJob job = take();
  EXPECT_EQ(job.problem, "");
  EXPECT_TRUE(fs::exists(job.report));
  EXPECT_EQ(job.report.filename(), "final.json");
  EXPECT_EQ(job.costs.ranks, 2);
  EXPECT_EQ(job.costs.run_ns, 1000);
  EXPECT_EQ(job.costs.elapsed_ns, 50);
  EXPECT_EQ(job.costs.cpu_ns, 30);
  EXPECT_EQ(job.costs.memory_bytes, 2048);
  EXPECT_EQ(job.costs.most_rank_cpu_ns, 9);
  EXPECT_EQ(job.costs.exchanged_bytes, 20);
}

TEST_F(TakeJobReport, LeavesItWhereItHasItsName) {
  write("final.json", "{}");
  write("raw/analysis.costs", "end ended\nstatus 0\n");
  const AnalysedJob job = take_job_report(folder_, "final.json", folder_ / "raw/../final.json");
  EXPECT_EQ(job.problem, "");
  EXPECT_EQ(fs::file_size(job.report), 2u);
}

TEST_F(TakeJobReport, SaysWhyThereIsNone) {
  EXPECT_THAT(take().problem, HasSubstr("did not complete MPI_Finalize"));
  write("raw/analysis.costs", "");  // the disk is full
  EXPECT_THAT(take().problem, HasSubstr("could not be written into the recording's folder"));
  EXPECT_TRUE(take().unwritten);
  write("raw/analysis.costs", "end not_started\nstatus 0\n");
  EXPECT_THAT(take().problem, HasSubstr("could not be started"));
  write("raw/analysis.costs", "end time_limit\nstatus 15\ntime_limit_ns 2000000000\n");
  EXPECT_THAT(take().problem, HasSubstr("time limit of 2"));
  EXPECT_FALSE(take().unwritten);
  write("raw/analysis.costs", "end ended\nstatus 11\n");
  EXPECT_THAT(take().problem, HasSubstr("signal 11"));
  write("raw/analysis.costs", "end ended\nstatus 256\nmemory_limit_bytes 1048576\n");
  EXPECT_THAT(take().problem, HasSubstr("left no report"));
  write("raw/analysis.log", "slackline: cannot write 'x': No space left on device. Free some.\n");
  EXPECT_EQ(take().problem, "cannot write 'x': No space left on device. Free some");
  EXPECT_TRUE(take().unwritten);
  write("raw/analysis.log", "slackline: cannot continue: out of memory. Use another machine.\n");
  EXPECT_THAT(take().problem, HasSubstr("memory limit of 1.0 MiB"));
}

}  // namespace
}  // namespace slackline
