#include "online/processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "trace/online_wire.h"

namespace slackline::online {
namespace {

constexpr int kNotExecuted = 127;
constexpr int kSignalled = 128;

int shell_status(int status) {
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

/// What a singleton of either MPI library needs: Open MPI would start a daemon for each process,
/// and make folders of the same name for all of them, which one removes while others need them; and
/// MPICH's UCX would have buffers in memory for processes that there are not. OpenMP's threads must
/// not spend CPU time on waiting; their runtime asks for this as late as at the first region.
void set_environment(const Processes::Start& start, std::int32_t rank, std::int32_t ranks) {
  for (const char* const name : {SLK_ONLINE_SET_VARIABLES}) {
    if (const char* const before = std::getenv(name)) {
      setenv(fmt::format(SLK_ONLINE_BEFORE "{}", name).c_str(), before, 1);
    }
  }
  setenv(SLK_ONLINE_VARIABLE,
         fmt::format("{}:{}:{}:{}", getppid(), start.descriptor, rank, ranks).c_str(), 1);
  setenv(SLK_FOLD_VARIABLE, fmt::format("{}", start.fold_descriptor).c_str(), 1);
  setenv("LD_PRELOAD", start.preload.c_str(), 1);
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 1);
  setenv("OMPI_MCA_orte_create_session_dirs", "0", 1);
  setenv("OMPI_MCA_sharedfp", "^sm", 1);  // it needs the folder
  setenv("OMPI_MCA_btl", "self", 1);
  setenv("OMPI_MCA_pml", "ob1", 1);
  setenv("UCX_TLS", "self", 1);
  constexpr int kIfUnset = 0;
  setenv("OMP_WAIT_POLICY", "passive", kIfUnset);
}

/// Where memory is short, the system shall end these processes rather than others: they count as if
/// each had half of the memory in addition to its own.
void prefer_for_oom_killer() {
  constexpr int kMore = 500;
  constexpr int kMostScore = 1000;
  const char* const file = "/proc/self/oom_score_adj";
  int score = 0;
  std::ifstream(file) >> score;
  std::ofstream(file) << std::min(score + kMore, kMostScore);
}

/// Tells the parent by `failed` why the command could not be executed.
[[noreturn]] void become(const Processes::Start& start, std::int32_t rank, std::int32_t ranks,
                         int failed) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prefer_for_oom_killer();
  if (start.processor >= 0) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(start.processor), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  set_environment(start, rank, ranks);
  std::vector<char*> words;
  for (const std::string& word : start.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words.front(), words.data());
  const int why = errno;
  [[maybe_unused]] const ssize_t told = write(failed, &why, sizeof why);
  _exit(kNotExecuted);
}

}  // namespace

Processes::Processes(std::int32_t ranks, Start start)
    : start_(std::move(start)),
      ranks_(ranks),
      processes_(static_cast<std::size_t>((ranks + start_.ranks_each - 1) / start_.ranks_each)) {}

void Processes::start(std::int32_t first, std::int32_t last) {
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) {
    throw Error("cannot start the program", std::strerror(errno), "Close other programs.");
  }
  int fork_error = 0;
  for (std::int32_t r = first; r < last && fork_error == 0; r += start_.ranks_each) {
    const pid_t pid = fork();
    if (pid == 0) become(start_, r, std::min(start_.ranks_each, ranks_ - r), failure[1]);
    if (pid < 0) fork_error = errno;
    processes_[process_of(r)].pid = pid;
  }
  close(failure[1]);
  int why = fork_error;
  const bool failed = fork_error != 0 || read(failure[0], &why, sizeof why) == sizeof why;
  close(failure[0]);
  if (!failed) return;
  kill();
  throw Error(fmt::format("cannot start '{}'", start_.command.front()), std::strerror(why),
              fork_error != 0 ? "Simulate fewer ranks, or raise the limit on processes (ulimit -u)."
                              : "Name the program itself after '--', without a launcher.");
}

Processes::~Processes() {
  kill();
}

std::optional<int> Processes::ended(std::int32_t rank) {
  Process& process = processes_[process_of(rank)];
  int status = 0;
  if (!process.status && waitpid(process.pid, &status, WNOHANG) == process.pid) {
    process.status = shell_status(status);
  }
  return process.status;
}

int Processes::wait() {
  int worst = 0;
  for (Process& process : processes_) {
    int status = 0;
    if (!process.status && process.pid > 0 && waitpid(process.pid, &status, 0) == process.pid) {
      process.status = shell_status(status);
    }
    worst = std::max(worst, process.status.value_or(0));
  }
  return worst;
}

void Processes::kill() {
  for (const Process& process : processes_) {
    if (!process.status && process.pid > 0) ::kill(process.pid, SIGKILL);
  }
  wait();
}

}  // namespace slackline::online
