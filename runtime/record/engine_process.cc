#include "engine_process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "clock.h"

namespace slackline::record {

namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
/// Time that it has to remove its temporary files when it is ended.
constexpr std::uint64_t kGrace_ns = kNsPerSecond / 2;
/// Its number in the process of the analysis.
constexpr int kEngineSocket = STDERR_FILENO + 1;

bool is_for_the_job(const char* variable) {
  const char* const names[] = {"LD_PRELOAD=", "SLACKLINE_DIR=", "SLACKLINE_PARALLEL="};
  for (const char* name : names) {
    if (std::strncmp(variable, name, std::strlen(name)) == 0) return true;
  }
  return false;
}

/// What the process learns of this one (src/jobs/record/launcher.h).
struct EngineVariables {
  char parent[64];
  char memory[64];
  char group[64];
};

/// The program's environment but for what concerns the job. To be freed; nullptr without memory.
char** engine_environment(EngineVariables& own) {
  std::size_t count = 0;
  while (environ != nullptr && environ[count] != nullptr) ++count;  // nullptr: clearenv()
  auto** variables = static_cast<char**>(std::calloc(count + 4, sizeof(char*)));
  if (variables == nullptr) return nullptr;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_for_the_job(environ[i])) variables[kept++] = environ[i];
  }
  variables[kept++] = own.group;
  variables[kept++] = own.parent;
  variables[kept] = own.memory;
  return variables;
}

/// Lets what this thread starts run on other processors than itself, for as long as it exists.
class ProcessorsOfChildren {
 public:
  explicit ProcessorsOfChildren(const cpu_set_t& processors)
      : changed_(CPU_COUNT(&processors) > 0 &&
                 sched_getaffinity(0, sizeof before_, &before_) == 0 &&
                 sched_setaffinity(0, sizeof processors, &processors) == 0) {}
  ~ProcessorsOfChildren() {
    if (changed_) sched_setaffinity(0, sizeof before_, &before_);
  }
  ProcessorsOfChildren(const ProcessorsOfChildren&) = delete;
  ProcessorsOfChildren& operator=(const ProcessorsOfChildren&) = delete;

 private:
  cpu_set_t before_{};
  bool changed_;
};

/// 0: it could not be started.
pid_t start(const EngineCommand& command) {
  const ProcessorsOfChildren anywhere(command.processors);
  EngineVariables own;
  std::snprintf(own.parent, sizeof own.parent, "SLACKLINE_ENDS_WITH=%ld",
                static_cast<long>(getpid()));
  std::snprintf(own.memory, sizeof own.memory, "SLACKLINE_MEMORY_LIMIT=%llu",
                static_cast<unsigned long long>(command.limits.memory_bytes));
  const EngineLink& link = command.link;
  std::snprintf(own.group, sizeof own.group,
                link.socket < 0 ? "SLACKLINE_PARALLEL=off" : "SLACKLINE_PARALLEL=relay:%d,%d,%d",
                kEngineSocket, link.rank, link.size);
  char** const variables = engine_environment(own);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  if (variables == nullptr || posix_spawn_file_actions_init(&files) != 0) {
    std::free(variables);
    return 0;
  }
  int first_unused = STDERR_FILENO + 1;
  if (link.socket >= 0) {  // first, as it has one of the numbers below where they were closed
    posix_spawn_file_actions_adddup2(&files, link.socket, kEngineSocket);
    first_unused = kEngineSocket + 1;
  }
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, command.log,
                                   O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  // The C library may be older than the one of the build.
  using CloseFrom = int(posix_spawn_file_actions_t*, int);
  auto* const close_from =
      reinterpret_cast<CloseFrom*>(dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addclosefrom_np"));
  if (close_from != nullptr) close_from(&files, first_unused);
  posix_spawnattr_init(&attributes);
  sigset_t set;
  sigemptyset(&set);
  posix_spawnattr_setsigmask(&attributes, &set);
  sigfillset(&set);
  posix_spawnattr_setsigdefault(&attributes, &set);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, command.arguments[0], &files, &attributes,
                                const_cast<char* const*>(command.arguments), variables);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  std::free(variables);
  return error == 0 ? pid : 0;
}

/// So much CPU time it may use at most: if this process is killed, it does not go on for long,
/// whatever the system does then.
void limit_processor(pid_t pid, const EngineLimits& limits) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const auto threads = static_cast<std::uint64_t>(processors > 0 ? processors : 1);
  const rlim_t seconds = (limits.time_ns / kNsPerSecond + 1) * threads;
  const rlimit processor{seconds, seconds};
  prlimit(pid, RLIMIT_CPU, &processor, nullptr);
}

std::uint64_t ns_of(const timeval& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * kNsPerSecond +
         static_cast<std::uint64_t>(t.tv_usec) * 1000;
}

}  // namespace

void sleep_a_little(std::uint64_t begin_ns) {
  constexpr std::uint64_t kLeast = 20'000;
  constexpr std::uint64_t kMost = 5'000'000;
  std::uint64_t ns = (steady_ns() - begin_ns) / 8;
  if (ns < kLeast) ns = kLeast;
  if (ns > kMost) ns = kMost;
  const timespec pause{0, static_cast<long>(ns)};
  nanosleep(&pause, nullptr);
}

EngineProcess::EngineProcess(const EngineCommand& command)
    : limits_(command.limits), begin_ns_(steady_ns()) {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &usual, &before_);
  pid_ = command.arguments == nullptr ? 0 : start(command);
  if (pid_ == 0) return;
  end_.kind = EngineEnd::Kind::ended;
  limit_processor(pid_, limits_);
}

EngineProcess::~EngineProcess() {
  sigaction(SIGCHLD, &before_, nullptr);
}

bool EngineProcess::runs() {
  if (pid_ == 0) return false;
  rusage used{};
  int status = 0;
  const pid_t ended = wait4(pid_, &status, WNOHANG, &used);
  if (ended == 0 || (ended < 0 && errno == EINTR)) {
    const std::uint64_t elapsed_ns = steady_ns() - begin_ns_;
    if (end_.kind == EngineEnd::Kind::ended && elapsed_ns > limits_.time_ns) {
      end_.kind = EngineEnd::Kind::time_limit;
      kill(pid_, SIGTERM);
    } else if (elapsed_ns > limits_.time_ns + kGrace_ns) {
      kill(pid_, SIGKILL);
    }
    return true;
  }
  pid_ = 0;
  end_.status = ended < 0 ? -1 : status;  // < 0: the program has given orders not to keep it
  end_.cpu_ns = ns_of(used.ru_utime) + ns_of(used.ru_stime);
  end_.most_kib = static_cast<std::uint64_t>(used.ru_maxrss);
  return false;
}

void EngineProcess::give_up() {
  limits_.time_ns = 0;
  runs();
}

void EngineProcess::wait() {
  while (runs()) sleep_a_little(begin_ns_);
}

}  // namespace slackline::record
