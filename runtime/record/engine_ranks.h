#ifndef SLACKLINE_RUNTIME_RECORD_ENGINE_RANKS_H
#define SLACKLINE_RUNTIME_RECORD_ENGINE_RANKS_H

#include <mpi.h>
#include <sched.h>
#include <cstdint>

#include "descriptor.h"
#include "engine_process.h"

namespace slackline::record {

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
