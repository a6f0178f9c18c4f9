#include <memory>

#include "app/requests/place.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {
namespace {

struct PlaceCommand : ReportCommand<PlaceRequest> {
  bool no_scotch = false;
};

}  // namespace

Run setup_place(CommandParser& parser) {
  auto command = std::make_shared<PlaceCommand>();
  PlaceRequest& request = command->request;
  add_model_request(parser, request.input, command->output);
  add_network_options(parser, request.input.network);
  parser.add_option("--openmpi", request.openmpi, "Write a rank file for mpirun --rankfile")
      ->type_name("FILE");
  parser.add_option("--mpich", request.mpich, "Write a host file for MPICH's mpiexec -f")
      ->type_name("FILE");
  parser
      .add_option("--slurm", request.slurm,
                  "Write a host file for SLURM_HOSTFILE and srun --distribution=arbitrary")
      ->type_name("FILE");
  parser
      .add_option("--restarts", request.restarts,
                  "Number of restarts from the best placement after random swaps")
      ->type_name("N")
      ->capture_default_str();
  parser
      .add_option("--evaluations", request.evaluations, "Maximum number of placements to evaluate")
      ->type_name("N")
      ->capture_default_str();
  parser.add_option("--seed", request.seed, "Seed of the random swaps")
      ->type_name("N")
      ->capture_default_str();
  parser.add_flag("--no-scotch", command->no_scotch, "Do not use Scotch");
  examples(parser,
           {"slackline place app.slk --topology fat-tree:k=16,tiers=3 --openmpi ranks.txt",
            "slackline place app.slk --ranks-per-node 4 --hosts nodes.txt --slurm hosts.txt",
            "slackline place app.slk --topology cluster.toml --placement hosts.txt"});
  return [command] {
    command->request.scotch = !command->no_scotch;
    return write_report(execute(command->request), command->output);
  };
}

}  // namespace slackline
