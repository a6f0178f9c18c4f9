#include "jobs/record/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"
#include "formats/native/writer.h"
#include "jobs/record/launcher.h"
#include "jobs/record/written_trace.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// An empty folder that is gone after the test; PATH is it alone.
class LauncherTest : public testing::Test {
 protected:
  LauncherTest() { setenv("PATH", folder_.c_str(), 1); }
  ~LauncherTest() override { setenv("PATH", path_.c_str(), 1); }
  LauncherTest(const LauncherTest&) = delete;
  LauncherTest& operator=(const LauncherTest&) = delete;

  void program(const std::string& name, const std::string& script) {
    std::ofstream(folder_ / name) << "#!/bin/sh\n" << script << "\n";
    chmod((folder_ / name).c_str(), 0755);
  }
  void link(const std::string& name, const std::string& target) {
    fs::create_symlink(folder_ / target, folder_ / name);
  }

  ScratchFolder scratch_;
  const fs::path& folder_ = scratch_.path();
  std::string path_ = std::getenv("PATH");
};

TEST(WrittenTrace, IsReadBackBeforeTheRawFilesGo) {
  const ScratchFolder folder;
  const fs::path path = folder / "written.slk";
  TraceBuilder trace(2, true);
  const std::int64_t made = trace.add_communicator({.members = {0, 1}, .remote = {}, .name = {}});
  trace.calls(0).append({.operation = Operation::comm_dup, .end_ns = 10, .args = {&made, 1}});
  write_native(trace, path);
  const auto check = [&](RankRange ranks) {
    TraceBuilder copy = trace;
    check_written({std::move(copy).build(), Samples(), ranks}, path);
  };
  EXPECT_NO_THROW(check({0, 2}));
  trace.calls(1).append({.operation = Operation::barrier, .end_ns = 10});
  EXPECT_THROW(check({0, 2}), Error);
  EXPECT_THROW(check({1, 2}), Error);
  fs::resize_file(path, fs::file_size(path) / 2);
  EXPECT_THROW(check({0, 2}), Error);
}

TEST_F(LauncherTest, NameTells) {
  program("mpirun.openmpi", "");
  program("mpirun.mpich", "");
  program("mpiexec.hydra", "");
  EXPECT_EQ(find_launcher({"mpirun.openmpi", "-n", "2", "a"}, "").kind, LauncherKind::open_mpi);
  EXPECT_EQ(find_launcher({"mpirun.mpich", "-n", "2", "a"}, "").kind, LauncherKind::mpich);
  EXPECT_EQ(find_launcher({"mpiexec.hydra", "a"}, "").kind, LauncherKind::mpich);
}

TEST_F(LauncherTest, AlternativesAreFollowed) {
  program("orterun", "");
  link("mpirun.real", "orterun");
  link("mpirun", "mpirun.real");
  EXPECT_EQ(find_launcher({"mpirun", "a"}, "").kind, LauncherKind::open_mpi);
}

TEST_F(LauncherTest, VersionTells) {
  program("mpiexec", "echo 'HYDRA build details:'");
  EXPECT_EQ(find_launcher({"mpiexec", "a"}, "").kind, LauncherKind::mpich);
  program("mpirun", "echo 'mpirun (Open MPI) 5.0.3'");
  EXPECT_EQ(find_launcher({"mpirun", "a"}, "").kind, LauncherKind::open_mpi);
}

TEST_F(LauncherTest, UnknownIsAskedFor) {
  program("mpirun", "echo 'something else 1.0'");
  EXPECT_THAT(error_text([] { find_launcher({"mpirun", "a"}, ""); }), HasSubstr("--mpi"));
  EXPECT_EQ(find_launcher({"mpirun", "a"}, "mpich").kind, LauncherKind::mpich);
}

TEST_F(LauncherTest, MissingLauncherIsAnError) {
  EXPECT_THROW(find_launcher({"mpirun", "-n", "4", "a"}, ""), Error);
  EXPECT_THROW(find_launcher({"./a"}, "lam"), Error);
}

TEST_F(LauncherTest, LauncherMayStandBehindOtherWords) {
  program("mpirun.openmpi", "");
  EXPECT_EQ(find_launcher({"env", "A=1", "mpirun.openmpi", "a"}, "").position, 2u);
  EXPECT_EQ(find_launcher({"./script.sh"}, "").kind, LauncherKind::none);
}

TEST(LaunchPlan, OpenMpiGetsTheVariablesForEveryPart) {
  const LaunchPlan plan = plan_launch({"mpirun", "-n", "1", "a", ":", "-n", "1", "b"},
                                      {LauncherKind::open_mpi, 0}, {{"X", "1"}});
  EXPECT_THAT(plan.command,
              ElementsAre("mpirun", "-x", "X=1", "-n", "1", "a", ":", "-x", "X=1", "-n", "1", "b"));
  EXPECT_TRUE(plan.environment.empty());
}

TEST(LaunchPlan, MpichGetsThemForAllAtOnce) {
  const LaunchPlan plan = plan_launch({"time", "mpiexec", "-n", "1", "a", ":", "-n", "1", "b"},
                                      {LauncherKind::mpich, 1}, {{"X", "1"}});
  EXPECT_THAT(plan.command, ElementsAre("time", "mpiexec", "-genv", "X", "1", "-n", "1", "a", ":",
                                        "-n", "1", "b"));
}

TEST(LaunchPlan, LaunchersOfBatchSystemsHandOnTheirEnvironment) {
  const std::vector<std::string> command{"flux", "run", "-n", "4", "./app"};
  const Launcher launcher = find_launcher(command, "");
  EXPECT_EQ(launcher.kind, LauncherKind::own_environment);
  const LaunchPlan plan = plan_launch(command, launcher, {{"A", "1"}});
  EXPECT_EQ(plan.command, command);
  EXPECT_EQ(plan.environment, (Environment{{"A", "1"}}));
  EXPECT_EQ(find_launcher({"jsrun", "-n", "4", "./app"}, "").kind, LauncherKind::own_environment);
}

TEST(Launcher, SrunMayWithholdTheEnvironment) {
  const Environment ours{{"LD_PRELOAD", "/lib/a.so"}, {"SLACKLINE_DIR", "/d"}};
  const auto withheld = [&](const std::vector<std::string>& command) {
    return withheld_environment(command, find_launcher(command, ""), ours);
  };
  EXPECT_EQ(withheld({"srun", "-n", "4", "--export=NONE", "./app"}),
            "srun hands on 'NONE' and not what the recorder needs; use --export=ALL, or "
            "--export=LD_PRELOAD,SLACKLINE_DIR");
  EXPECT_EQ(withheld({"srun", "--export", "PATH", "./app"}),
            "srun hands on 'PATH' and not what the recorder needs; use --export=ALL, or "
            "--export=PATH,LD_PRELOAD,SLACKLINE_DIR");
  EXPECT_EQ(withheld({"srun", "./app"}), "");
  EXPECT_EQ(withheld({"srun", "--export=ALL,X=1", "./app"}), "");
  EXPECT_EQ(withheld({"srun", "--export=LD_PRELOAD,SLACKLINE_DIR", "./app"}), "");
  EXPECT_EQ(withheld({"flux", "run", "--export=NONE", "./app"}), "");
  setenv("SLURM_EXPORT_ENV", "NONE", 1);
  EXPECT_NE(withheld({"srun", "./app"}), "");
  unsetenv("SLURM_EXPORT_ENV");
}

TEST(LaunchPlan, WithoutALauncherTheProgramItselfGetsThem) {
  const LaunchPlan plan = plan_launch({"./a"}, {}, {{"X", "1"}});
  EXPECT_THAT(plan.command, ElementsAre("./a"));
  EXPECT_THAT(plan.environment, ElementsAre(std::pair<std::string, std::string>("X", "1")));
}

TEST(LaunchPlan, WhatTheCommandPreloadsComesAfterTheRecorder) {
  const Environment variables{{"LD_PRELOAD", "rec.so"}, {"DIR", "d"}};
  const auto words = [&](LauncherKind kind, std::vector<std::string> command) {
    const LaunchPlan plan = plan_launch(command, {kind, 0}, variables);
    return std::vector<std::string>(plan.command.begin() + (kind == LauncherKind::mpich ? 7 : 5),
                                    plan.command.end());
  };
  using enum LauncherKind;
  EXPECT_THAT(words(open_mpi, {"mpirun", "-x", "LD_PRELOAD=a.so:b.so", "p"}),
              ElementsAre("-x", "LD_PRELOAD=rec.so:a.so:b.so", "p"));
  EXPECT_THAT(words(open_mpi, {"mpirun", "-x", "LD_PRELOAD", "p"}),
              ElementsAre("-x", "LD_PRELOAD=rec.so", "p"));
  EXPECT_THAT(words(mpich, {"mpiexec", "-genv", "LD_PRELOAD", "a.so", "p"}),
              ElementsAre("-genv", "LD_PRELOAD", "rec.so:a.so", "p"));
  EXPECT_THAT(words(mpich, {"mpiexec", "-n", "2", "env", "LD_PRELOAD=a.so", "p"}),
              ElementsAre("-n", "2", "env", "LD_PRELOAD=rec.so:a.so", "p"));
}

TEST(LaunchPlan, OptionsOfTheSanitizerAreBoth) {
  const Environment variables{{"ASAN_OPTIONS", "verify_asan_link_order=0"}};
  const LaunchPlan plan = plan_launch({"mpirun", "-x", "ASAN_OPTIONS=detect_leaks=0", "p"},
                                      {LauncherKind::open_mpi, 0}, variables);
  EXPECT_THAT(plan.command,
              testing::Contains("ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0"));
  EXPECT_THAT(merged({{"ASAN_OPTIONS", "a=1"}}, variables),
              ElementsAre(testing::Pair("ASAN_OPTIONS", "verify_asan_link_order=0:a=1")));
}

TEST(RunProcess, ExitStatusAndSignalsComeThrough) {
  EXPECT_EQ(run_process({"sh", "-c", "exit 7"}).exit_status, 7);
  EXPECT_EQ(run_process({"sh", "-c", "kill -9 $$"}).exit_status, 128 + 9);
  EXPECT_EQ(run_process({"sh", "-c", "exit $X"}, {{{"X", "3"}}}).exit_status, 3);
}

TEST(MergedEnvironment, PreloadsTheLibrariesOfBoth) {
  const Environment injected{{"LD_PRELOAD", "inject.so"}, {"DELAY", "5"}, {"DIR", "other"}};
  const Environment recording{{"LD_PRELOAD", "record.so"}, {"DIR", "trace"}};
  EXPECT_THAT(merged(injected, recording),
              ElementsAre(testing::Pair("LD_PRELOAD", "record.so:inject.so"),
                          testing::Pair("DELAY", "5"), testing::Pair("DIR", "trace")));
}

TEST(RunProcess, WhatTheChildHasIsNotThisProcess) {
  const ScratchFolder folder;
  const ChildContext context{{{"SLACKLINE_CHILD", "own"}, {"PATH", "/usr/bin:/bin"}},
                             folder / "output"};
  run_process({"sh", "-c", "echo $SLACKLINE_CHILD $PATH"}, context);
  run_process({"sh", "-c", "echo again"}, context);
  EXPECT_EQ(std::getenv("SLACKLINE_CHILD"), nullptr);
  std::stringstream written;
  written << std::ifstream(folder / "output").rdbuf();
  EXPECT_EQ(written.str(), "own /usr/bin:/bin\nagain\n");
}

TEST(RunProcess, SignalsArePassedOn) {
  const std::string parent = std::to_string(getpid());
  // The child signals us and must get the signal itself, not just see us die.
  const std::string script = "trap 'exit 42' TERM; kill -TERM " + parent +
                             "; i=0; while [ $i -lt 100 ]; do sleep 0.1; i=$((i+1)); done; exit 1";
  EXPECT_EQ(run_process({"sh", "-c", script}).exit_status, 42);
}

TEST(RunProcess, UnknownProgramIsAnError) {
  EXPECT_THROW(run_process({"/nonexistent/program"}), Error);
}

TEST(Record, NoCommandIsWrongUsage) {
  try {
    record(RecordOptions{.command = {}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), 2);
  }
}

}  // namespace
}  // namespace slackline
