#pragma once

#include <string>

namespace slackline {

/// This process among those that an MPI launcher has started, or the ranks of a job beside
/// themselves, as its environment tells.
struct LaunchedProcess {
  int rank = 0;
  int size = 1;  ///< 1: no launcher, or a launcher of one process
  /// "openmpi" or "mpich" (and what has its launcher's protocol), if a launcher started several.
  std::string mpi{};
  int relay = -1;  ///< otherwise the socket to the rank that has started it (process_interface.h)
};

/// Open MPI's mpirun sets OMPI_COMM_WORLD_*, launchers that speak PMI (MPICH's, Intel MPI's,
/// Slurm's --mpi=pmi2) PMI_*, and Slurm's --mpi=pmix PMIX_RANK beside its own variables. With
/// SLACKLINE_PARALLEL=off each process is alone; ranks set it to relay:SOCKET,RANK,SIZE.
LaunchedProcess launched_process();

}  // namespace slackline
