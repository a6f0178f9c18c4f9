#pragma once

#include <string>

namespace slackline {

/// This process among those that an MPI launcher has started, as its environment tells.
struct LaunchedProcess {
  int rank = 0;
  int size = 1;     ///< 1: no launcher, or a launcher of one process
  std::string mpi;  ///< "openmpi" or "mpich" (and what has its launcher's protocol), if size > 1
};

/// Open MPI's mpirun sets OMPI_COMM_WORLD_*, launchers that speak PMI (MPICH's, Intel MPI's,
/// Slurm's --mpi=pmi2) PMI_*, and Slurm's --mpi=pmix PMIX_RANK beside its own variables. With
/// SLACKLINE_PARALLEL=off each process is alone.
LaunchedProcess launched_process();

}  // namespace slackline
