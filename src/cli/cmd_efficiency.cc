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
                  "Trace files or recording folders; of several the first is the reference of the "
                  "scalability. Without any the newest slackline-trace* here")
      ->type_name("TRACE");
  parser
      .add_option("--collective-causality", request.causality,
                  "What a collective waits for on the ideal network: dimemas (all for all, but in "
                  "reductions) or data (what its data needs)")
      ->type_name("RULE")
      ->capture_default_str();
  parser
      .add_option(
          "--rendezvous-from", request.rendezvous,
          "Blocking sends of at least that size wait for their receive on the ideal network")
      ->type_name("BYTES")
      ->capture_default_str();
  parser
      .add_option("--scaling", request.scaling,
                  "Whether the runs share one problem (strong) or one problem per rank (weak)")
      ->type_name("KIND")
      ->capture_default_str();
  add_run_options(parser, request.run);
  add_output_options(parser, command->output);
  examples(parser, {"slackline efficiency app.slk",
                    "slackline efficiency app-1.slk app-2.slk app-4.slk --format json",
                    "slackline efficiency app.slk --on predicted --network infiniband-fdr"});
  return report_on<EfficiencyRequest>(command);
}

}  // namespace slackline
