#include <memory>

#include "cli/view_page.h"

namespace slackline {
namespace {

struct ViewCommand {
  ReportCommand<ReportRequest> report{};
  ViewOptions view{};
};

}  // namespace

Run setup_view(OptionList& options) {
  auto wanted = std::make_shared<ViewCommand>();
  declare(options, wanted->report.request);
  declare(options, wanted->report.output);
  options.add("--no-open", wanted->view.no_open,
              "Write the HTML report and print its path without opening it");
  declare(options, wanted->view);
  return [wanted] { return view_page(wanted->report, wanted->view); };
}

}  // namespace slackline
