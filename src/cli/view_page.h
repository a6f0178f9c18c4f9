#pragma once

#include <string>

#include "app/options/option_list.h"
#include "app/requests/report.h"
#include "cli/report_command.h"

namespace slackline {

/// How a report is opened in the browser.
struct ViewOptions {
  bool no_open = false;
  bool serve = false;
  std::string idle = "10min";
};
/// Without --no-open, which only `view` has.
void declare(OptionList& options, ViewOptions& view);

/// Writes the report as a page and opens it. A page that one file cannot hold with every call to
/// the nanosecond is served on the loopback interface instead, where a browser can be started and
/// no file was named, until it has not been looked at for some time. Gives the exit status.
int view_page(ReportCommand<ReportRequest>& command, const ViewOptions& view);

}  // namespace slackline
