#pragma once

#include <string>
#include <vector>

#include "analysis/placement/place.h"
#include "report/report.h"
#include "timing/network/node_placement.h"

namespace slackline {

/// What was found, and what was not: only makespans that were computed. `hosts` names the nodes.
Report describe(const PlaceResult& result, const NodePlacement& hosts);

/// How a launcher is told where ranks run.
enum class RankFileKind { openmpi, mpich, slurm };

/// Text of the file: Open MPI's rank file (mpirun --rankfile), MPICH's host file (mpiexec -f), or
/// SLURM's (SLURM_HOSTFILE with srun --distribution=arbitrary). Placement::host_names names the
/// nodes.
std::string write_rank_file(const NodePlacement& placement, RankFileKind kind);

}  // namespace slackline
