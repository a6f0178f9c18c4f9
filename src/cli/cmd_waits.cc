#include <memory>

#include "app/requests/wait_states.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {

Run setup_waits(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<WaitStatesRequest>>();
  WaitStatesRequest& request = command->request;
  add_trace(parser, request.run.trace, request.run.reading);
  add_output_options(parser, command->output);
  add_run_options(parser, request.run);
  add_interval(parser, request.interval);
  parser.get_option("--eager-threshold")
      ->description(
          "Messages up to this size do not wait for their receiver. By default, a measured send "
          "still in progress when its receive begins is a late receiver");
  examples(parser, {"slackline waits app.slk", "slackline waits app.slk --format json",
                    "slackline waits app.slk --on predicted -L 10us"});
  return report_on<WaitStatesRequest>(command);
}

}  // namespace slackline
