#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slackline {

/// Who starts the ranks, as far as handing environment variables to them is concerned.
enum class LauncherKind {
  none,             ///< no launcher in the command: a single rank, or a script that has one inside
  open_mpi,         ///< mpirun -x NAME=VALUE; PRRTE's prun, too
  mpich,            ///< mpiexec -genv NAME VALUE (Hydra; Intel MPI's, too)
  own_environment,  ///< srun, flux and jsrun hand on their own
};

struct Launcher {
  LauncherKind kind = LauncherKind::none;
  std::size_t position = 0;  ///< of the launcher's word in the command
};

using Environment = std::vector<std::pair<std::string, std::string>>;

/// The variables of both. Those of `first` win; libraries of both are preloaded, those of `first`
/// before the others.
Environment merged(Environment given, const Environment& first);

/// Finds the launcher among the words of `command` (it may stand behind `env`, `time` and the like)
/// and its kind: by `mpi` ("openmpi", "mpich" or empty), by the name it resolves to, or by what
/// its --version says. Throws Error when it is not installed or its kind stays unknown.
Launcher find_launcher(const std::vector<std::string>& command, std::string_view mpi);

/// What is to be executed so that the ranks, and they only where the launcher allows it, see
/// `variables`.
struct LaunchPlan {
  std::vector<std::string> command;
  Environment environment;  ///< to be set for the command itself
};
LaunchPlan plan_launch(const std::vector<std::string>& command, const Launcher& launcher,
                       const Environment& variables);

/// The path of `program` as the shell would find it; empty if it would not.
std::string find_program(std::string_view program);

/// Why the ranks do not get `variables`, and what to do: srun's --export=NONE and its like. Empty:
/// nothing is known to withhold them.
std::string withheld_environment(const std::vector<std::string>& command, const Launcher& launcher,
                                 const Environment& variables);

/// How a child process ended, as a shell says it: its exit status, or 128 + the signal.
struct ProcessEnd {
  int exit_status = 0;
  double seconds = 0;      ///< wall clock
  double cpu_seconds = 0;  ///< of it and all its descendants that it waited for
};

/// What a child process has beside what this one has.
struct ChildContext {
  Environment environment{};
  std::filesystem::path standard_output{};  ///< a file that it is appended to; empty: this one's
};

/// Runs a command to its end. Signals that this process gets meanwhile are passed on to it (but for
/// those of the terminal, which it gets itself), and it is waited for all the same. Throws Error
/// when it cannot be started, or the file cannot be written.
ProcessEnd run_process(const std::vector<std::string>& command, const ChildContext& context = {});

/// For a process that a rank of an MPI job has started to analyse the job's recording. It gets no
/// more memory than SLACKLINE_MEMORY_LIMIT says, and SIGTERM when the rank dies, whose process
/// number is in SLACKLINE_ENDS_WITH. Any other process does nothing here.
void heed_recorded_rank();

/// Becomes that command. Returns only by throwing Error.
[[noreturn]] void become_process(const std::vector<std::string>& command,
                                 const Environment& environment);

}  // namespace slackline
