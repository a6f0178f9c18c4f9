#include <memory>

#include "app/requests/critical_path.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {

Run setup_path(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<CriticalPathRequest>>();
  CriticalPathRequest& request = command->request;
  add_model_request(parser, request.input, command->output);
  add_network_options(parser, request.input.network);
  parser
      .add_option("--on", request.on,
                  "Run to analyse: measured, predicted (by the model) or simulated (on a "
                  "platform); default: measured if the trace has timestamps and no model option is "
                  "given, else predicted")
      ->type_name("RUN");
  parser
      .add_option("--algorithm", request.algorithm,
                  "Algorithm for measured and simulated runs: dag, dijkstra, delta-stepping, "
                  "splits or intervals")
      ->type_name("NAME")
      ->capture_default_str();
  parser
      .add_option("--delta", request.delta, "Bucket width of delta-stepping (default: automatic)")
      ->type_name("TIME");
  parser
      .add_option("--threshold", request.threshold,
                  "With intervals: minimum length of a computation")
      ->type_name("TIME");
  add_reading_options(parser, request.input.reading);
  add_platform_options(parser, request.platform);
  examples(parser, {"slackline path slackline-trace", "slackline path app.slk --on predicted",
                    "slackline path app.slk -L 10us --format csv -o path.csv"});
  return [command] {
    command->request.segments = tells_result(command->output);
    return write_report(execute(command->request), command->output);
  };
}

}  // namespace slackline
