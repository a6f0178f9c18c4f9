#include <memory>

#include "app/requests/monitor.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {

Run setup_phases(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<MonitorRequest>>();
  MonitorRequest& request = command->request;
  add_trace(parser, request.run.trace, request.run.reading);
  add_output_options(parser, command->output);
  parser
      .add_option("--rank", request.rank,
                  "Rank for the per-call transfer efficiency (default: the rank with most calls)")
      ->type_name("RANK");
  parser.add_option("--windows", request.windows, "Number of time windows")
      ->in_range(8, 4096)
      ->type_name("NUMBER")
      ->capture_default_str();
  parser
      .add_option("--collective-causality", request.causality,
                  "Dependences of collectives on the ideal network: dimemas or data")
      ->type_name("RULE")
      ->capture_default_str();
  parser
      .add_option("--rendezvous-from", request.rendezvous,
                  "Minimum size of blocking sends that wait for their receive on the ideal network")
      ->type_name("BYTES")
      ->capture_default_str();
  add_interval(parser, request.interval);
  add_run_options(parser, request.run);
  examples(parser, {"slackline phases app.slk", "slackline phases app.slk -o phases.html",
                    "slackline phases app.slk --on simulated --platform cluster.xml"});
  return report_on<MonitorRequest>(command);
}

}  // namespace slackline
