#include <fmt/format.h>

#include <memory>

#include "analysis/placement/place.h"
#include "analysis/placement/place_report.h"
#include "base/error.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/model_question.h"

namespace slackline {
namespace {

struct PlaceCommandOptions {
  ModelQuestion question;
  PlaceOptions search;
  bool no_scotch = false;
  std::string openmpi;
  std::string mpich;
  std::string slurm;
};

void write_rank_files(const PlaceCommandOptions& options, const Placement& found) {
  const auto write = [&](const std::string& path, RankFileKind kind) {
    if (path.empty()) return;
    OutputFile file(path);
    file.write(write_rank_file(found, kind));
    file.commit();
  };
  write(options.openmpi, RankFileKind::openmpi);
  write(options.mpich, RankFileKind::mpich);
  write(options.slurm, RankFileKind::slurm);
}

int run_place(const PlaceCommandOptions& options) {
  const NetworkOptions& network = options.question.network;
  if (!network.given()) {
    throw usage_error("there is nothing to place ranks on", "all pairs of ranks are alike",
                      "Say how nodes are connected (--topology) or how many ranks share one "
                      "(--ranks-per-node).");
  }
  const OpenedQuestion q = open_question(options.question, CallDetail::none);
  const Placement hosts = resolve_placement(network, q.graph.ranks());
  PlaceOptions search = options.search;
  search.scotch = !options.no_scotch;
  search.ranks_per_node = std::max(1, network.ranks_per_node);
  search.nodes = static_cast<std::int32_t>(hosts.host_names.size());
  const PlaceResult result = place_ranks(q.graph, q.model, search);
  write_rank_files(options, {result.best.node_of_rank, hosts.host_names});
  answer(describe(result, hosts), "place", q, options.question,
         {{"restarts", search.restarts},
          {"evaluations", search.evaluations},
          {"seed", search.seed},
          {"scotch", search.scotch}});
  return 0;
}

}  // namespace

Run setup_place(CommandParser& parser) {
  auto options = std::make_shared<PlaceCommandOptions>();
  add_model_question(parser, options->question);
  add_network_options(parser, options->question.network);
  parser.add_option("--openmpi", options->openmpi, "Write a rank file for mpirun --rankfile")
      ->type_name("FILE");
  parser.add_option("--mpich", options->mpich, "Write a host file for MPICH's mpiexec -f")
      ->type_name("FILE");
  parser
      .add_option("--slurm", options->slurm,
                  "Write a host file for SLURM_HOSTFILE and srun --distribution=arbitrary")
      ->type_name("FILE");
  parser
      .add_option("--restarts", options->search.restarts,
                  "Restarts from the best after random swaps")
      ->type_name("N")
      ->capture_default_str();
  parser
      .add_option("--evaluations", options->search.evaluations,
                  "Placements whose makespan is computed, at most")
      ->type_name("N")
      ->capture_default_str();
  parser.add_option("--seed", options->search.seed, "Of the random swaps")
      ->type_name("N")
      ->capture_default_str();
  parser.add_flag("--no-scotch", options->no_scotch, "Do without Scotch's mappings");
  examples(parser,
           {"slackline place app.slk --topology fat-tree:k=16,tiers=3 --openmpi ranks.txt",
            "slackline place app.slk --ranks-per-node 4 --hosts nodes.txt --slurm hosts.txt",
            "slackline place app.slk --topology cluster.toml --placement hosts.txt"});
  return [options] { return run_place(*options); };
}

}  // namespace slackline
