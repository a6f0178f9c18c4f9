#include <memory>

#include "app/requests/check.h"
#include "cli/report_command.h"

namespace slackline {

Run setup_check(OptionList& options) {
  auto command = std::make_shared<ReportCommand<CheckRequest>>();
  command->output.has_checks = true;
  declare(options, command->request);
  declare(options, command->output);
  return [command] { return report_on(*command); };
}

}  // namespace slackline
