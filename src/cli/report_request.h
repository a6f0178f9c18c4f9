#pragma once

#include "app/requests/report.h"
#include "cli/report_command.h"

namespace slackline {

/// Declares what `report` and `view` have in common: a run or two, a model, degradations, a
/// machine, the output.
void add_report_request(CommandParser& parser, ReportCommand<ReportRequest>& command);

/// Executes the request, with pictures where the output is a page, and writes the report; as text
/// only its first screen, unless `all` or what was asked for does not fit on it. The exit status,
/// as of write_report().
int write_full_report(ReportCommand<ReportRequest>& command, bool all);

}  // namespace slackline
