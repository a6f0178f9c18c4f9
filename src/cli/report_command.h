#pragma once

#include <memory>

#include "cli/commands.h"
#include "cli/output.h"

namespace slackline {

/// What the options of a command that reports fill in: its request, and where the report goes.
template <class Request>
struct ReportCommand {
  Request request{};
  OutputOptions output{};
};

/// Executes the request and writes the report.
template <class Request>
Run report_on(std::shared_ptr<const ReportCommand<Request>> command) {
  return [command] {
    output_format(command->output);  // refuses what cannot be written before any work
    return write_report(execute(command->request), command->output);
  };
}

}  // namespace slackline
