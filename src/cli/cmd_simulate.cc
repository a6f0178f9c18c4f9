#include <memory>

#include "app/requests/simulate.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {
namespace {

constexpr int kMostShown = 1'000'000;

}  // namespace

Run setup_simulate(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<SimulateRequest>>();
  SimulateRequest& request = command->request;
  add_trace(parser, request.trace);
  add_platform_options(parser, request.machine, "");
  parser.get_option("--platform")->required();
  parser
      .add_option("--model", request.machine.model,
                  "Network model: smpi, lv08, cm02, raw, loggps (no contention) or constant")
      ->type_name("MODEL");
  parser
      .add_option("--collectives", request.machine.collectives,
                  "Selector of collective algorithms: default, ompi, mpich, mvapich2 or impi")
      ->type_name("SELECTOR");
  add_computation(parser, request.computation, "");
  parser.add_option("--links", request.links, "Number of most contended links to show; 0: none")
      ->type_name("N")
      ->in_range(0, kMostShown)
      ->capture_default_str();
  parser
      .add_option("--slowed", request.slowed,
                  "Number of messages most delayed by contention to show; 0: none")
      ->type_name("N")
      ->in_range(0, kMostShown)
      ->capture_default_str();
  parser
      .add_option("--actions", request.actions,
                  "Write the end time of each action: lines of seconds, rank and action")
      ->type_name("FILE");
  parser
      .add_option("--timed", request.timed,
                  "Write the simulated run as a timed trace; format by extension")
      ->type_name("FILE");
  parser
      .add_option(
          "--sweep", request.sweep,
          "Simulate all combinations, e.g. bandwidth=0.5,1,2,latency=1,10,collectives=ompi,mpich")
      ->type_name("AXES");
  parser
      .add_option("--tolerance", request.tolerance,
                  "Tolerance to reduced link performance: latency or bandwidth, of a link group "
                  "bandwidth@backbone")
      ->type_name("WHAT")
      ->excludes(parser.get_option("--sweep"));
  add_degradations(parser, request.degradations);
  add_output_options(parser, command->output);
  examples(parser,
           {"slackline simulate app.slk --platform cluster.xml",
            "slackline simulate trace.ti --platform p.xml --hostfile hosts --options smpi.txt",
            "slackline simulate app.slk --platform p.toml --map block --collectives ompi",
            "slackline simulate app.slk --platform p.xml --sweep bandwidth=0.5,1,2,latency=1,10",
            "slackline simulate app.slk --platform p.xml --tolerance bandwidth@backbone"});
  return [command] {
    command->request.pictures = output_format(command->output) == OutputFormat::html;
    return write_report(execute(command->request), command->output);
  };
}

}  // namespace slackline
