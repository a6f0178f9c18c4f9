#include <memory>

#include "app/requests/gains.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {

Run setup_gains(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<GainsRequest>>();
  GainsRequest& request = command->request;
  add_model_request(parser, request.input, command->output);
  add_network_options(parser, request.input.network);
  parser.add_flag("--call-paths", request.call_paths, "Include the gains of every call path");
  add_reading_options(parser, request.input.reading);
  examples(parser, {"slackline gains app.slk", "slackline gains app.slk --call-paths --format json",
                    "slackline gains app.slk -L 10us --format csv"});
  return report_on<GainsRequest>(command);
}

}  // namespace slackline
