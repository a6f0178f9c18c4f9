#include <memory>

#include "app/requests/efficiency.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {

Run setup_efficiency(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<EfficiencyRequest>>();
  EfficiencyRequest& request = command->request;
  parser
      .add_option("traces", request.traces,
                  "Trace files or recording folders, the first being the reference for "
                  "scalability; default: the newest slackline-trace* in the current folder")
      ->type_name("TRACE");
  parser
      .add_option("--collective-causality", request.causality,
                  "Dependences of collectives on the ideal network: dimemas (all ranks wait for "
                  "all, except in reductions) or data (data dependences only)")
      ->type_name("RULE")
      ->capture_default_str();
  parser
      .add_option("--rendezvous-from", request.rendezvous,
                  "Minimum size of blocking sends that wait for their receive on the ideal network")
      ->type_name("BYTES")
      ->capture_default_str();
  parser
      .add_option("--scaling", request.scaling,
                  "Scaling type: strong (same problem) or weak (same problem per rank)")
      ->type_name("KIND")
      ->capture_default_str();
  add_interval(parser, request.interval);
  add_run_options(parser, request.run);
  add_memory(parser, request.run.reading);
  add_output_options(parser, command->output);
  examples(parser, {"slackline efficiency app.slk",
                    "slackline efficiency app-1.slk app-2.slk app-4.slk --format json",
                    "slackline efficiency app.slk --on predicted --network infiniband-fdr"});
  return report_on<EfficiencyRequest>(command);
}

}  // namespace slackline
