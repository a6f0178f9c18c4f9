#include <memory>

#include "app/requests/advise.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {

Run setup_advise(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<AdviseRequest>>();
  AdviseRequest& request = command->request;
  add_model_request(parser, request.input, command->output);
  parser.add_option("--count", request.count, "Largest number of changes to propose")
      ->positive()
      ->type_name("N")
      ->capture_default_str();
  add_network_options(parser, request.input.network);
  add_reading_options(parser, request.input.reading);
  examples(parser, {"slackline advise app.slk", "slackline advise app.slk --count 3 --format json",
                    "slackline advise app.slk --network shared-memory"});
  return report_on<AdviseRequest>(command);
}

}  // namespace slackline
