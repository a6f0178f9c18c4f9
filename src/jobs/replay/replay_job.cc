#include "jobs/replay/replay_job.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.h"
#include "base/text_parsing.h"
#include "base/units.h"
#include "jobs/calibrate/benchmark.h"
#include "jobs/record/launcher.h"
#include "jobs/record/libraries.h"
#include "jobs/record/record.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExample = "Example: slackline replay app.slk -- mpirun -n 4.";

std::string_view mpi_of(const Launcher& launcher, const std::string& given) {
  if (launcher.kind == LauncherKind::open_mpi) return "openmpi";
  if (launcher.kind == LauncherKind::mpich) return "mpich";
  if (launcher.kind == LauncherKind::none) {
    throw usage_error("cannot replay", "the command has no launcher (mpirun, mpiexec, srun)",
                      kExample);
  }
  if (!given.empty()) return given == "mpich" ? "mpich" : "openmpi";
  throw usage_error("cannot replay", "srun does not say which MPI it starts",
                    "Add --mpi openmpi or --mpi mpich.");
}

fs::path replay_program(std::string_view mpi) {
  fs::path program =
      find_runtime_libraries().preload.parent_path() / fmt::format("slackline_replay_{}", mpi);
  std::error_code ignored;
  if (fs::exists(program, ignored)) return program;
  throw Error(fmt::format("cannot replay with {}", mpi == "mpich" ? "MPICH" : "Open MPI"),
              "this Slackline was built without that MPI library",
              "Install its development package and rebuild Slackline.");
}

fs::path make_named_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::create_directory(folder, error)) return fs::absolute(folder);
  throw Error(fmt::format("cannot make the folder '{}'", folder.string()),
              error ? error.message() : "it exists", "Remove it, or name another one: --folder.");
}

/// All processes have to see it, so the current folder is tried first.
fs::path make_temporary_folder() {
  for (const fs::path& where : {fs::current_path(), fs::temp_directory_path()}) {
    std::string name = where / "slackline-replay-XXXXXX";
    if (mkdtemp(name.data()) != nullptr) return name;
  }
  throw Error("cannot make a folder for the replay", errno_text(),
              "Make the current folder writable.");
}

bool is_count_option(const std::string& word) {
  return word == "-n" || word == "-np" || word == "--np" || word == "-c" || word == "--n" ||
         word == "--ntasks";
}

}  // namespace

std::optional<std::int64_t> started_ranks(const std::vector<std::string>& command,
                                          std::size_t launcher) {
  std::optional<std::int64_t> sum;
  for (std::size_t i = launcher + 1; i + 1 < command.size(); ++i) {
    if (!is_count_option(command[i])) continue;
    const auto count = number_in<std::int64_t>(command[i + 1]);
    if (count) sum = sum.value_or(0) + *count;
  }
  return sum;
}

ReplayJob::ReplayJob(const ReplayJobOptions& options) : options_(options) {
  if (options.command.empty()) throw usage_error("cannot replay", "no launcher given", kExample);
  std::error_code ignored;
  if (options.files && !fs::is_directory(*options.files, ignored)) {
    throw usage_error(fmt::format("cannot use '{}' for files", options.files->string()),
                      "it is not a folder", "Make it, on every host of the job.");
  }
  const Launcher launcher = find_launcher(options.command, options.mpi);
  processes_ = replay_program(mpi_of(launcher, options.mpi));
  launcher_ = launcher.position;
  const bool is_kept = !options.folder.empty();
  folder_.path = is_kept ? make_named_folder(options.folder) : make_temporary_folder();
  if (!is_kept) guard_.emplace(folder_.path);
}

ReplayJob::~ReplayJob() {
  std::error_code ignored;
  if (guard_) fs::remove_all(folder_.path, ignored);
}

void ReplayJob::expect_ranks(std::int32_t ranks) {
  const auto started = started_ranks(options_.command, launcher_);
  if (!started) {
    const std::vector<std::string> count{"-n", std::to_string(ranks)};
    options_.command.insert(options_.command.begin() + static_cast<std::ptrdiff_t>(launcher_ + 1),
                            count.begin(), count.end());
  } else if (*started != ranks) {
    throw Error("cannot replay the trace",
                fmt::format("it has {}, but the launcher starts {}",
                            count_of(static_cast<std::uint64_t>(ranks), "rank"), *started),
                fmt::format("Start as many processes: -n {}.", ranks));
  }
}

std::vector<std::string> ReplayJob::command() const {
  std::vector<std::string> program{processes_.string(), folder_.program().string(),
                                   folder_.report().string()};
  if (options_.files) program.push_back(fs::absolute(*options_.files).string());
  return benchmark_command(options_.command, launcher_, program);
}

std::vector<std::string> ReplayJob::record_arguments() const {
  std::vector<std::string> arguments{"--call-paths", "none", "-o", folder_.trace().string()};
  if (!options_.mpi.empty()) arguments.insert(arguments.end(), {"--mpi", options_.mpi});
  if (options_.yield) arguments.emplace_back("--yield");
  arguments.emplace_back("--");
  const std::vector<std::string> job = command();
  arguments.insert(arguments.end(), job.begin(), job.end());
  return arguments;
}

fs::path ReplayJob::run() {
  std::error_code ignored;
  const fs::path trace = folder_.trace();
  fs::remove(trace, ignored);
  fs::remove(folder_.report(), ignored);
  RecordOptions recording{.command = command(), .output = trace, .mpi = options_.mpi};
  recording.call_paths.mode = "none";
  recording.yield = options_.yield;
  const RecordResult result = record(recording);
  if (result.exit_status != 0) {
    throw Error("the replay failed",
                fmt::format("the launcher ended with status {}", result.exit_status),
                "See its messages above.");
  }
  if (result.traces.size() != 1) {
    throw Error(
        "the replay was not recorded",
        result.unconverted.empty() ? result.failures.reasons : result.unconverted.front().reason,
        "See the messages of the job above.");
  }
  return result.traces.front().trace;
}

}  // namespace slackline
