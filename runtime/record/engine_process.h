#ifndef SLACKLINE_RUNTIME_RECORD_ENGINE_PROCESS_H
#define SLACKLINE_RUNTIME_RECORD_ENGINE_PROCESS_H

#include <mpi.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <cstdint>

#include "descriptor.h"

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

/// How a process of the analysis reaches the others: which of how many it is, and the socket on
/// which it exchanges bytes with them (relay_exchanges()).
struct EngineLink {
  int rank = 0;
  int size = 1;
  int socket = -1;
};

/// What is started of one process.
struct EngineCommand {
  const char* const* arguments;  ///< null: nothing is started
  const char* log;               ///< gets its standard output and error
  cpu_set_t processors;          ///< none: this thread's
  EngineLimits limits;
  EngineLink link;
};

/// A program beside this process, up to its end or its limits. It is started without copying this
/// process (posix_spawn, not fork: memory that is registered with a network card must not be
/// copied, and no handlers of fork run), without its open files, signal handlers and LD_PRELOAD.
/// The program's own handler of SIGCHLD does not hear of it as long as the object lives.
class EngineProcess {
 public:
  explicit EngineProcess(const EngineCommand& command);
  ~EngineProcess();
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;

  /// Whether it still runs; ends it if it has reached its limits. To be called every few ms.
  bool runs();
  /// As if it had reached its time limit.
  void give_up();
  /// Returns when it has ended; sleeps meanwhile.
  void wait();
  const EngineEnd& end() const { return end_; }

 private:
  struct sigaction before_ {};
  EngineLimits limits_;
  std::uint64_t begin_ns_;
  pid_t pid_;
  EngineEnd end_;
};

/// Sleeps for an eighth of the time since `begin_ns`, at least 20 us and at most 5 ms: for who
/// waits for long.
void sleep_a_little(std::uint64_t begin_ns);

/// The host of the calling rank.
struct RanksHost {
  bool has_all_ranks;
  int number;            ///< of the calling rank among the ranks there
  cpu_set_t processors;  ///< that its ranks may run on, taken together
};
/// Collective over `world`, all ranks.
RanksHost find_host(MPI_Comm world);

/// The ranks that start a process of the analysis beside themselves.
struct EngineRanks {
  MPI_Comm comm = MPI_COMM_NULL;  ///< of these ranks, to be freed; null in all other ranks
  int size = 1;
  int rank = 0;
  int here = 1;    ///< how many there are on this host
  int number = 0;  ///< of the calling rank among those
};

/// Ranks that may start a process: on each host as many as `processors`, at least one. The first
/// ranks of all hosts come first, then the second ones; rank 0 is the first. Collective over
/// `comm`; null in the ranks that may not.
MPI_Comm candidate_ranks(const RanksHost& host, int processors, MPI_Comm comm);

/// The first `count` of these. Collective over `candidates`, which it frees.
EngineRanks first_ranks(MPI_Comm candidates, int count);

/// The share of the host's processors that belongs to the process beside the calling rank.
cpu_set_t processors_of(const EngineRanks& engines, const RanksHost& host);

/// Exchanges bytes between the processes of the analysis that run beside several ranks: what each
/// writes to its socket for the others (src/parallel/process_interface.h) goes from rank to rank by
/// MPI. One that has ended makes the exchanges of all others fail.
///
/// Collective over `ranks`, each of which has started one, as `engine`, and holds the other end of
/// its socket (-1: there was none to be had, and no engine). Returns in all when all have ended.
/// Sleeps where it waits. Returns how many bytes this rank has sent.
std::uint64_t relay_exchanges(MPI_Comm ranks, const Descriptor& socket, EngineProcess& engine);

}  // namespace slackline::record

#endif
