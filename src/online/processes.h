#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slackline::online {

/// The processes of a simulated job. None outlives this object, nor the process that holds it.
class Processes {
 public:
  struct Start {
    std::vector<std::string> command;
    std::string preload;          ///< value of LD_PRELOAD
    int descriptor = -1;          ///< of the SharedMemory, which they inherit
    int fold_descriptor = -1;     ///< of the FoldedMemory
    int processor = -1;           ///< on which all of them run; < 0: where the system likes
    std::int32_t ranks_each = 1;  ///< that a process has, one after the other
  };
  /// For a process for each rank, or for `ranks_each` of them, none of which runs yet.
  Processes(std::int32_t ranks, Start start);
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// Starts the processes of the ranks from `first`, which is a process' first, to before `last`;
  /// if the system is short of memory, it ends these before others. Throws Error when the command
  /// cannot be executed.
  void start(std::int32_t first, std::int32_t last);
  /// The process of the rank; -1 before it is started.
  pid_t id(std::int32_t rank) const { return processes_[process_of(rank)].pid; }

  /// The exit status of the rank's process, as a shell says it, if it has ended.
  std::optional<int> ended(std::int32_t rank);
  /// Waits for all of them to end; the largest exit status.
  int wait();
  /// Ends those that still run.
  void kill();

 private:
  std::size_t process_of(std::int32_t rank) const {
    return static_cast<std::size_t>(rank / start_.ranks_each);
  }
  struct Process {
    pid_t pid = -1;
    std::optional<int> status{};
  };
  Start start_;
  std::int32_t ranks_ = 0;
  std::vector<Process> processes_;
};

/// The functions that a child of this process, which waits for the simulator, has come through to
/// its call of MPI, outermost first: "main/solve/exchange". Of a path that is deep, the innermost
/// ones. Empty where they are not known: without libdw or its symbols, where the system does not
/// let a process trace its children, and in Python programs. Inlined functions are part of their
/// caller. Cost: reads the tables of the process's files, some milliseconds.
std::string call_path_of_process(pid_t process);

}  // namespace slackline::online
