#include <memory>

#include "app/requests/hotspots.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {

Run setup_hotspots(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<HotspotsRequest>>();
  HotspotsRequest& request = command->request;
  add_trace(parser, request.run.trace, request.run.reading);
  parser
      .add_option("--by", request.by, "What one hot spot is: a function, line, call-path or module")
      ->type_name("UNIT")
      ->capture_default_str();
  parser.add_option("--rows", request.rows, "Rows of the table; JSON has all of them")
      ->type_name("N")
      ->capture_default_str();
  add_interval(parser, request.interval);
  add_run_options(parser, request.run);
  add_output_options(parser, command->output);
  examples(parser,
           {"slackline hotspots slackline-trace", "slackline hotspots slackline-trace --by line",
            "slackline hotspots slackline-trace --by call-path --format json"});
  return report_on<HotspotsRequest>(command);
}

}  // namespace slackline
