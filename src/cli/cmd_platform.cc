#include <memory>

#include "app/requests/platform.h"
#include "cli/report_command.h"

namespace slackline {

Run setup_platform(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<PlatformRequest>>();
  PlatformRequest& request = command->request;
  parser.add_option("action", request.action, "Action: show")
      ->type_name("ACTION")
      ->required()
      ->one_of({"show"});
  parser.add_option("file", request.file, "Platform file: SimGrid XML or TOML")
      ->type_name("FILE")
      ->required();
  parser
      .add_option("--route", request.route,
                  "Show the links, latency and bandwidth between two hosts")
      ->type_name("HOST")
      ->expected(2);
  parser.add_option("--rows", request.rows, "Maximum number of rows per list")
      ->type_name("N")
      ->capture_default_str();
  add_output_options(parser, command->output);
  examples(parser, {"slackline platform show cluster.xml",
                    "slackline platform show fat-tree.toml --route node-0 node-17"});
  return report_on<PlatformRequest>(command);
}

}  // namespace slackline
