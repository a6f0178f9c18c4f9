#include "engine_process.h"

namespace slackline::record {

RanksHost find_host(MPI_Comm world) {
  MPI_Comm ranks = MPI_COMM_NULL;
  int all = 0;
  int here = 0;
  PMPI_Comm_size(world, &all);
  PMPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &ranks);
  PMPI_Comm_size(ranks, &here);
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_ZERO(&mine);
  RanksHost host{here == all, 0, {}};
  PMPI_Comm_rank(ranks, &host.number);
  PMPI_Allreduce(&mine, &host.processors, sizeof mine, MPI_BYTE, MPI_BOR, ranks);
  PMPI_Comm_free(&ranks);
  return host;
}

MPI_Comm candidate_ranks(const RanksHost& host, int processors, MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  const bool is_one = host.number < (processors > 0 ? processors : 1);
  MPI_Comm candidates = MPI_COMM_NULL;
  PMPI_Comm_split(comm, is_one ? 0 : MPI_UNDEFINED, host.number * size + rank, &candidates);
  return candidates;
}

EngineRanks first_ranks(MPI_Comm candidates, int count) {
  EngineRanks engines;
  int rank = 0;
  PMPI_Comm_rank(candidates, &rank);
  PMPI_Comm_split(candidates, rank < count ? 0 : MPI_UNDEFINED, rank, &engines.comm);
  PMPI_Comm_free(&candidates);
  if (engines.comm == MPI_COMM_NULL) return engines;
  PMPI_Comm_rank(engines.comm, &engines.rank);
  PMPI_Comm_size(engines.comm, &engines.size);
  MPI_Comm here = MPI_COMM_NULL;
  PMPI_Comm_split_type(engines.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  PMPI_Comm_size(here, &engines.here);
  PMPI_Comm_rank(here, &engines.number);
  PMPI_Comm_free(&here);
  return engines;
}

cpu_set_t processors_of(const EngineRanks& engines, const RanksHost& host) {
  if (CPU_COUNT(&host.processors) < engines.here) return host.processors;
  cpu_set_t own;
  CPU_ZERO(&own);
  int next = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &host.processors)) continue;
    if (next++ % engines.here == engines.number) CPU_SET(cpu, &own);
  }
  return own;
}

}  // namespace slackline::record
