#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "parallel/process_group.h"

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

/// Joins the other processes that the launcher has started, through the library for its MPI in
/// `libraries`, once in a process: MPI_Init. MPI ends with the object, for which all processes
/// have to come. Throws Error where the library was not built, or cannot be loaded, or where MPI
/// says something else than the environment.
std::unique_ptr<ProcessGroup> join_processes(const LaunchedProcess& me,
                                             const std::filesystem::path& libraries);

/// The processes that ranks of an MPI job have started beside themselves; the ranks pass on what
/// they exchange, through the socket `me.relay`, which the object closes. Where one of them ends
/// early, exchanges end the calling process with status 1.
std::unique_ptr<ProcessGroup> relayed_processes(const LaunchedProcess& me);

}  // namespace slackline
