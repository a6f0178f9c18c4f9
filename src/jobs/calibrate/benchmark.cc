#include "jobs/calibrate/benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/output_place.h"
#include "base/output_target.h"
#include "base/progress.h"
#include "jobs/record/launcher.h"
#include "jobs/record/libraries.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExample = "Say: slackline calibrate -- mpirun -n 2";

/// Whether the launcher would take `word` for its program. Values of options may be names of
/// programs, too ("--map-by node"), so a bare name counts only behind a word that is no option.
bool is_program(const std::string& word, const std::string& before) {
  std::error_code ignored;
  if (word.starts_with("-")) return false;
  const std::string path = find_program(word);
  if (path.empty() || !fs::is_regular_file(path, ignored)) return false;
  return word.find('/') != std::string::npos || !before.starts_with("-");
}

std::string_view mpi_of(const Launcher& launcher, const std::string& given) {
  if (launcher.kind == LauncherKind::open_mpi) return "openmpi";
  if (launcher.kind == LauncherKind::mpich) return "mpich";
  if (launcher.kind == LauncherKind::none) {
    throw usage_error("cannot calibrate", "the command has no launcher (mpirun, mpiexec, srun)",
                      kExample);
  }
  if (!given.empty()) return given == "mpich" ? "mpich" : "openmpi";
  throw usage_error("cannot calibrate", "srun does not say which MPI it starts",
                    "Say --mpi openmpi or --mpi mpich.");
}

fs::path benchmark_program(std::string_view mpi) {
  fs::path program =
      find_runtime_libraries().preload.parent_path() / fmt::format("slackline_calibrate_{}", mpi);
  if (fs::exists(program)) return program;
  throw Error(fmt::format("cannot calibrate {}", mpi == "mpich" ? "MPICH" : "Open MPI"),
              "this Slackline was built where that MPI was not installed",
              "Install its development package and build again.");
}

/// Shows how much of the time is over until it goes away.
class TimeShown {
 public:
  explicit TimeShown(double seconds) : thread_([this, seconds] { show(seconds); }) {}
  ~TimeShown() {
    ended_ = true;
    thread_.join();
  }
  TimeShown(const TimeShown&) = delete;
  TimeShown& operator=(const TimeShown&) = delete;

 private:
  void show(double seconds) const {
    using std::chrono::milliseconds;
    constexpr auto kStep = milliseconds(100);
    const auto total = static_cast<std::uint64_t>(std::max(1.0, 1000 * seconds));
    Progress progress("calibrating", total);
    for (milliseconds passed{0}; !ended_; passed += kStep) {
      progress.update(std::min(total, static_cast<std::uint64_t>(passed.count())));
      std::this_thread::sleep_for(kStep);
    }
  }

  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

/// Places in memory and of processes differ from start to start, and with them what messages take.
constexpr int kProcesses = 3;

void run_once(const BenchmarkOptions& options, const Launcher& launcher, const fs::path& program,
              const fs::path& samples) {
  std::error_code ignored;
  fs::remove(samples, ignored);
  const std::vector<std::string> command = benchmark_command(
      options.command, launcher.position,
      {program.string(), samples.string(), fmt::format("{}", options.seconds / kProcesses),
       std::to_string(options.seed)});
  const LaunchPlan plan = plan_launch(command, launcher, options.variables);
  const int status = run_process(plan.command, {plan.environment, options.output}).exit_status;
  if (status != 0) {
    throw Error("cannot calibrate", fmt::format("the launcher ended with status {}", status),
                "See its messages above.");
  }
  if (!fs::exists(samples, ignored)) {
    throw Error("cannot calibrate", "the first rank has left no samples",
                "Let it write to a folder that both machines share, with -o.");
  }
}

}  // namespace

std::vector<std::string> benchmark_command(const std::vector<std::string>& command,
                                           std::size_t launcher,
                                           const std::vector<std::string>& program) {
  std::size_t end = launcher + 1;
  while (end < command.size() && !is_program(command[end], command[end - 1])) ++end;
  std::vector<std::string> all(command.begin(), command.begin() + static_cast<std::ptrdiff_t>(end));
  all.insert(all.end(), program.begin(), program.end());
  return all;
}

void run_benchmark(const BenchmarkOptions& options) {
  if (options.command.empty()) {
    throw usage_error("nothing to calibrate", "there is no command", kExample);
  }
  const Launcher launcher = find_launcher(options.command, options.mpi);
  const fs::path program = benchmark_program(mpi_of(launcher, options.mpi));
  const OutputTarget samples(options.samples);
  if (samples.is_stream()) {
    throw Error(fmt::format("cannot write '{}'", options.samples.string()), "it is not a file",
                "Choose another name for the machine file, with -o.");
  }
  const TimeShown shown(options.seconds);
  OutputFile joined(samples.path());
  for (int i = 0; i < kProcesses; ++i) {
    fs::path part = fs::absolute(samples.path());
    part += fmt::format(".{}", i + 1);
    const Temporary temporary(part);
    run_once(options, launcher, program, part);
    joined.write(MappedFile(part).text());
  }
  joined.commit();
}

}  // namespace slackline
