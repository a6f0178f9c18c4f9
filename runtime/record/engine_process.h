#ifndef SLACKLINE_RUNTIME_RECORD_ENGINE_PROCESS_H
#define SLACKLINE_RUNTIME_RECORD_ENGINE_PROCESS_H

#include <csignal>
#include <cstdint>

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

namespace slackline::record {

struct EngineLimits {
  std::uint64_t time_ns;
  std::uint64_t memory_bytes;
};

/// How a process of the analysis ended.
struct EngineEnd {
  enum class Kind { ended, not_started, time_limit };
  Kind kind = Kind::not_started;
  int status = 0;              ///< as of waitpid(); -1 where the system did not keep it
  std::uint64_t cpu_ns = 0;    ///< of all its threads
  std::uint64_t most_kib = 0;  ///< of memory
};

/// Runs a program beside this process to its end, or to its limits. It is started without copying
/// this process (posix_spawn, not fork: memory that is registered with a network card must not be
/// copied, and no handlers of fork run), without its open files, signal handlers and LD_PRELOAD,
/// on `processors` (none: this thread's), and with standard output and error in `log`. The
/// program's own handler of SIGCHLD does not hear of it. Sleeps meanwhile.
EngineEnd run_engine(const char* const* arguments, const char* log, const cpu_set_t& processors,
                     const EngineLimits& limits);

/// Sleeps for an eighth of the time since `begin_ns`, at least 20 us and at most 5 ms: for who
/// waits for long.
void sleep_a_little(std::uint64_t begin_ns);

}  // namespace slackline::record

#endif
