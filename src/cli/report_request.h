#pragma once

#include "app/requests/report.h"
#include "cli/report_command.h"

namespace slackline {

/// Declares what `report` and `view` have in common: a run or two, a model, degradations, a
/// machine, the output.
void add_report_request(CommandParser& parser, ReportCommand<ReportRequest>& command);

/// Executes the request, with pictures where the output is a page, and writes the report. The exit
/// status, as of write_report().
int write_full_report(ReportCommand<ReportRequest>& command);

}  // namespace slackline
