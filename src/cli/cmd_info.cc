#include <memory>

#include "app/requests/info.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {

Run setup_info(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<InfoRequest>>();
  InfoRequest& request = command->request;
  add_trace(parser, request.trace, request.reading);
  add_reading_options(parser, request.reading);
  add_output_options(parser, command->output);
  examples(parser, {"slackline info", "slackline info app.slk --format json"});
  return report_on<InfoRequest>(command);
}

}  // namespace slackline
