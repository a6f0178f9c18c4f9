#pragma once

#include <string>
#include <vector>

#include "analysis/placement/place.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "timing/network/node_placement.h"

namespace slackline {

using PlacementJson = JsonOf<struct PlacementJsonTag>;
const JsonType& declared_type(const PlacementJsonTag*);
/// What was found, and what was not: only makespans that were computed. `hosts` names the nodes.
Described<PlacementJson> describe(const PlaceResult& result, const NodePlacement& hosts);

/// How a launcher is told where ranks run.
enum class RankFileKind { openmpi, mpich, slurm };

/// Text of the file: Open MPI's rank file (mpirun --rankfile), MPICH's host file (mpiexec -f), or
/// SLURM's (SLURM_HOSTFILE with srun --distribution=arbitrary). Placement::host_names names the
/// nodes.
std::string write_rank_file(const NodePlacement& placement, RankFileKind kind);

}  // namespace slackline
