#include "app/requests/model_requests.h"

#include <algorithm>

#include "analysis/placement/place.h"
#include "app/load/loaded_graph.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "base/file.h"
#include "report/report.h"
#include "timing/network/node_placement.h"

namespace slackline {
namespace {

void write_rank_files(const PlaceRequest& request, const NodePlacement& found) {
  const auto write = [&](const std::string& path, RankFileKind kind) {
    if (path.empty()) return;
    write_output(path, write_rank_file(found, kind));
  };
  write(request.openmpi, RankFileKind::openmpi);
  write(request.mpich, RankFileKind::mpich);
  write(request.slurm, RankFileKind::slurm);
}

auto place_report(Described<PlacementJson> described, const LoadedGraph& loaded,
                  const PlaceOptions& search) {
  return with_context(
      std::move(described), "place", loaded,
      Object{"restarts"_key = search.restarts, "evaluations"_key = search.evaluations,
             "seed"_key = search.seed, "scotch"_key = search.scotch});
}
using PlaceReports = CommandReports<ReturnedBy<place_report>>;

}  // namespace

void declare(OptionList& options, PlaceRequest& request) {
  declare(options, request.input);
  options.add("--openmpi FILE", request.openmpi, "Write a rank file for mpirun --rankfile");
  options.add("--mpich FILE", request.mpich, "Write a host file for MPICH's mpiexec -f");
  options.add("--slurm FILE", request.slurm,
              "Write a host file for SLURM_HOSTFILE and srun --distribution=arbitrary");
  options.add("--restarts N", request.restarts,
              "Number of restarts from the best placement after random swaps");
  options.add("--evaluations N", request.evaluations, "Maximum number of placements to evaluate");
  options.add("--seed N", request.seed, "Seed of the random swaps");
  options.add("--no-scotch", request.no_scotch, "Do not use Scotch");
  declare_clocks(options, request.input.reading, OptionCallers::python);
}

Report execute(const PlaceRequest& request) {
  const NetworkOptions& network = request.input.network;
  if (!network.given()) {
    throw usage_error("cannot place ranks", "no network topology given",
                      "Give the network (--topology, --latency-matrix) or the number of ranks per "
                      "node (--ranks-per-node).");
  }
  const LoadedGraph loaded = load_graph(request.input, CallDetail::none);
  const NodePlacement hosts = resolve_placement(network, loaded.graph.ranks());
  const PlaceOptions search{
      .restarts = request.restarts,
      .evaluations = request.evaluations,
      .seed = request.seed,
      .ranks_per_node = std::max(1, network.ranks_per_node),
      .nodes = static_cast<std::int32_t>(hosts.host_names.size()),
      .scotch = !request.no_scotch,
  };
  PlaceResult result = place_ranks(loaded.graph, loaded.model, search);
  require_material_gain(result, loaded.program_or_none(), loaded.graph, loaded.model, search.seed);
  write_rank_files(request, {result.best.node_of_rank, hosts.host_names});
  return PlaceReports::untyped(place_report(describe(result, hosts), loaded, search));
}

CommandSchema place_schema() {
  return PlaceReports::schema();
}

}  // namespace slackline
