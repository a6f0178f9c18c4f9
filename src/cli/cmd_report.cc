#include <memory>

#include "app/requests/report.h"
#include "cli/report_command.h"
#include "cli/view_page.h"

namespace slackline {
namespace {

struct FullReportCommand : ReportCommand<ReportRequest> {
  bool all = false;
  bool open = false;
};

/// As text only the first screen, unless what was asked for does not fit on it.
int run_report(FullReportCommand& command) {
  if (command.open) return view_page(command, {});
  ReportRequest& request = command.request;
  request.screen = output_format(command.output) == OutputFormat::text && !command.all &&
                   request.sections.empty() && request.compare.empty() && !request.machine.given();
  return report_on<ReportRequest>(command);
}

}  // namespace

CommandAction setup_report(OptionList& options) {
  auto command = std::make_shared<FullReportCommand>();
  declare(options, command->request);
  declare(options, command->output);
  options.add("--all", command->all,
              "All sections as text, not only the first screen (other formats have all)");
  options.add("--open", command->open, "Open the report in a browser, as 'slackline view' does");
  return [command] { return run_report(*command); };
}

namespace {

struct ViewCommand {
  ReportCommand<ReportRequest> report{};
  ViewOptions view{};
};

}  // namespace

CommandAction setup_view(OptionList& options) {
  auto wanted = std::make_shared<ViewCommand>();
  declare(options, wanted->report.request);
  declare(options, wanted->report.output);
  options.add("--no-open", wanted->view.no_open,
              "Write the HTML report and print its path without opening it");
  declare(options, wanted->view);
  return [wanted] { return view_page(wanted->report, wanted->view); };
}

}  // namespace slackline
