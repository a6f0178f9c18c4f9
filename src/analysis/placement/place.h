#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model/interval.h"
#include "analysis/model/model_choice.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/typed_report.h"
#include "timing/network/node_placement.h"
#include "trace/trace.h"

namespace slackline {

struct PlaceOptions {
  std::uint32_t restarts = 8;         ///< kicked restarts after the first descents
  std::uint32_t evaluations = 2'000;  ///< placements whose makespan is computed, at most
  std::uint64_t seed = 1;
  std::int32_t ranks_per_node = 1;  ///< slots of a node
  std::int32_t nodes = 0;           ///< nodes of the job; 0: as few as hold the ranks
  bool scotch = true;               ///< take Scotch's mapping as a start and a rival
};

/// A placement that was tried, with the makespan computed for it.
struct PlacedRun {
  std::string name;  ///< "block", "scotch (bytes)"
  std::vector<std::int32_t> node_of_rank;
  double makespan_ns = 0;
};

/// What came of a search. Every makespan here was computed for the very placement beside it.
struct PlaceResult {
  PlacedRun before;               ///< where the ranks run today
  PlacedRun best;                 ///< the same as `before` if nothing better was found
  std::vector<PlacedRun> rivals;  ///< other known placements and ways to find one
  double lower_bound_ns = 0;      ///< no placement on these nodes is faster
  std::uint64_t evaluations = 0;
  std::uint32_t restarts = 0;
  bool local_optimum = false;  ///< the critical path of `best` gains by no swap of two ranks
  /// Share of the run time that `best` saves in runs with resampled computation, with its 95 %
  /// interval; empty until require_material_gain() has computed it.
  std::optional<Interval> gain{};
  bool improved() const { return best.makespan_ns < before.makespan_ns; }
  /// Share of the run time of `before` that the other one saves.
  double gain_of(const PlacedRun& run) const {
    return before.makespan_ns > 0 ? 1 - run.makespan_ns / before.makespan_ns : 0;
  }
};

/// A placement that saves less of the run time makes no difference: runs vary by more than that.
inline constexpr double kMaterialGain = 0.005;

/// Searches a placement of the ranks on the nodes of choice.pairs (which must be there) with a
/// small makespan: LLAMP's swap heuristic (appendix J) and better (see place.cc). Deterministic for
/// a seed. A placement costs one pass over the graph. Throws usage Error when nodes do not suffice.
PlaceResult place_ranks(const ExecutionGraph& graph, const ModelChoice& choice,
                        const PlaceOptions& options);

/// Moves ranks only for a gain: unless `best` saves kMaterialGain, and some in 95 % of runs with
/// resampled computation (ResampledComputation; `trace` is that of the graph), it becomes one of
/// the rivals, and `before` the best. Two reductions of the graph for each of 100 replicates, on
/// all threads. Deterministic for a seed.
void require_material_gain(PlaceResult& result, const Trace& trace, const ExecutionGraph& graph,
                           const ModelChoice& choice, std::uint64_t seed);

extern const Rows<PlaceResult> kPlacement;
using PlacementJson = JsonBy<kPlacement>;
/// What was found, and what was not: only makespans that were computed. `hosts` names the nodes.
Described<PlacementJson> describe(const PlaceResult& result, const NodePlacement& hosts);

/// How a launcher is told where ranks run.
enum class RankFileKind { openmpi, mpich, slurm };

/// Text of the file: Open MPI's rank file (mpirun --rankfile), MPICH's host file (mpiexec -f), or
/// SLURM's (SLURM_HOSTFILE with srun --distribution=arbitrary). Placement::host_names names the
/// nodes.
std::string write_rank_file(const NodePlacement& placement, RankFileKind kind);

}  // namespace slackline
