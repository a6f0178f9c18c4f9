#include "jobs/record/jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

#include "base/testing/scratch_folder.h"
#include "trace/wire.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class Jobs : public testing::Test {
 protected:
  void file(const fs::path& name) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "";
  }
  void recording(const fs::path& name, std::uint64_t realtime_ns) {
    file(name);
    slk_raw_header header{};
    header.magic = SLK_WIRE_MAGIC;
    header.realtime_ns = realtime_ns;
    std::ofstream(folder_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(&header), sizeof header);
  }

  ScratchFolder scratch_;
  const fs::path& folder_ = scratch_.path();
};

TEST_F(Jobs, AreFoundInOrderOfTheirStart) {
  EXPECT_THAT(recorded_jobs(folder_), IsEmpty());
  recording("raw/rank-0.slkraw", 30);
  recording("job-2/raw/rank-0.slkraw", 20);
  recording("job-10/raw/rank-1.slkraw", 40);
  file("job-3/raw/rank-0.error-28");
  EXPECT_THAT(recorded_jobs(folder_), ElementsAre(folder_ / "job-2", folder_, folder_ / "job-10"));
}

TEST_F(Jobs, FailuresAreToldWithTheirReason) {
  EXPECT_EQ(recording_failures(folder_).reasons, "");
  file("raw/process-77.hidden-init");
  file("raw/process-77.merged");
  file("raw/process-77.merged.part-0123456789abcdef");
  EXPECT_FALSE(recording_failures(folder_).unwritten);
  fs::remove(folder_ / "raw/process-77.hidden-init");
  file("raw/rank-0.error-" + std::to_string(ENOSPC));
  file("raw/rank-3.error-" + std::to_string(ENOSPC));
  file("raw/rank-1.error-" + std::to_string(EACCES));
  EXPECT_TRUE(recording_failures(folder_).unwritten);
  EXPECT_EQ(recording_failures(folder_).reasons,
            "rank 1 could not write the recording: Permission denied; "
            "ranks 0, 3 could not write the recording: No space left on device");
}

TEST_F(Jobs, TheirEndIsNotedWhereThereIsOne) {
  note_job_end(folder_);
  EXPECT_THAT(recorded_jobs(folder_), IsEmpty());
  recording("raw/rank-0.slkraw", 30);
  note_job_end(folder_);
  std::uint64_t noted_ns = 0;
  std::ifstream(folder_ / "raw/job-end") >> noted_ns;
  EXPECT_GT(noted_ns, 1'700'000'000'000'000'000u);
  remove_raw_files(folder_);
  EXPECT_FALSE(fs::exists(folder_ / "raw"));
  recording("raw/rank-0.slkraw", 30);
  recording("job-2/raw/rank-0.slkraw", 40);
  note_job_end(folder_);
  EXPECT_FALSE(fs::exists(folder_ / "raw/job-end"));
  EXPECT_FALSE(fs::exists(folder_ / "job-2/raw/job-end"));
}

TEST_F(Jobs, OnlyTheRecordersFilesAreRemoved) {
  file("raw/rank-0.slkraw");
  file("raw/rank-1.error-28");
  file("raw/process-77.hidden-init");
  file("job-2/raw/rank-0.t1.slkraw");
  file("job-3/raw/notes.txt");
  remove_raw_files(folder_);
  EXPECT_FALSE(fs::exists(folder_ / "raw"));
  EXPECT_FALSE(fs::exists(folder_ / "job-2"));
  EXPECT_TRUE(fs::exists(folder_ / "job-3/raw/notes.txt"));
}

TEST_F(Jobs, AreNamedByNumberAndProgram) {
  EXPECT_EQ(program_name("/opt/bin/simpleFoam -parallel"), "simpleFoam");
  EXPECT_EQ(program_name("./my:app"), "my_app");
  EXPECT_EQ(program_name(""), "job");
  const JobName a{"a"};
  const JobName b{"b"};
  EXPECT_THAT(job_traces("d/trace.slk", {a}), ElementsAre("d/trace.slk"));
  EXPECT_THAT(job_traces("d/trace.slk", {a, b}), ElementsAre("d/1-a.slk", "d/2-b.slk"));
  EXPECT_THAT(job_traces("d/run.slk", {a, b}), ElementsAre("d/run-1-a.slk", "d/run-2-b.slk"));
  EXPECT_EQ(job_traces("d/trace.slk", std::vector<JobName>(10, a)).front(), "d/01-a.slk");
}

TEST_F(Jobs, ThatWereSpawnedAreNamedAfterTheOneThatWasStarted) {
  const JobName a{"a"};
  const JobName child{"b", true};
  EXPECT_TRUE(is_spawned("d/spawned-1"));
  EXPECT_FALSE(is_spawned("d/job-2"));
  EXPECT_THAT(job_traces("d/run.slk", {a, child, child}),
              ElementsAre("d/run.slk", "d/run-spawned-1.slk", "d/run-spawned-2.slk"));
  EXPECT_THAT(job_traces("d/trace.slk", {a, child}), ElementsAre("d/trace.slk", "d/spawned-1.slk"));
  EXPECT_THAT(job_traces("d/run.slk", {a, child, a}),
              ElementsAre("d/run-1-a.slk", "d/run-spawned-1.slk", "d/run-2-a.slk"));
  EXPECT_THAT(job_traces("d/run.slk", {child}), ElementsAre("d/run.slk"));
}

TEST_F(Jobs, TracesOfAnEarlierRecordingAreKnown) {
  for (const char* name : {"trace.slk", "2-b.slk", "run.slk", "run-1-a.slk", "other.slk",
                           "run-spawned-1.slk", "run-spawned-x.slk"}) {
    file(name);
  }
  EXPECT_THAT(existing_traces(folder_ / "trace.slk"),
              ElementsAre(folder_ / "2-b.slk", folder_ / "trace.slk"));
  EXPECT_THAT(
      existing_traces(folder_ / "run.slk"),
      ElementsAre(folder_ / "run-1-a.slk", folder_ / "run-spawned-1.slk", folder_ / "run.slk"));
  EXPECT_THAT(existing_traces(folder_ / "new.slk"), IsEmpty());
}

}  // namespace
}  // namespace slackline
