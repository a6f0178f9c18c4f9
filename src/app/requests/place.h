#pragma once

#include <cstdint>
#include <string>

#include "app/options/model_request.h"

namespace slackline {

class OptionList;
struct Report;

/// A search for a faster placement of ranks on nodes. `input.network` says how nodes are connected
/// or how many ranks share one.
struct PlaceRequest {
  ModelRequest input{.reading = {bytes_per_call::kPlace}};
  std::uint32_t restarts = 8;         ///< from the best placement after random swaps
  std::uint32_t evaluations = 2'000;  ///< placements whose makespan is computed, at most
  std::uint64_t seed = 1;             ///< of the random swaps
  bool no_scotch = false;             ///< do not begin from Scotch's mappings
  // Files to write the placement to; empty: none.
  std::string openmpi{};  ///< for mpirun --rankfile
  std::string mpich{};    ///< for MPICH's mpiexec -f
  std::string slurm{};    ///< for SLURM_HOSTFILE
};
void declare(OptionList& options, PlaceRequest& request);

/// Writes the files that are named. Throws Error.
Report execute(const PlaceRequest& request);

}  // namespace slackline
