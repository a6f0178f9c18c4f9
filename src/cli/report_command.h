#pragma once

#include <memory>

#include "cli/commands.h"
#include "cli/launched_command.h"
#include "cli/output.h"

namespace slackline {

/// What the options of a command that reports fill in: its request, and where the report goes.
template <class Request>
struct ReportCommand {
  Request request{};
  OutputOptions output{};
};

/// Is there an execute() that several processes call together?
template <class Request>
constexpr bool kSharesWork =
    requires(const Request& request, ProcessGroup& group) { execute(request, group); };

/// Executes the request and writes the report; of several processes, the first one does.
template <class Request>
Run report_on(std::shared_ptr<const ReportCommand<Request>> command) {
  return [command] {
    output_format(command->output);  // refuses what cannot be written before any work
    if constexpr (kSharesWork<Request>) {
      const Report report = execute(command->request, command_processes());
      return command_processes().is_first() ? write_report(report, command->output) : 0;
    } else {
      return write_report(execute(command->request), command->output);
    }
  };
}

}  // namespace slackline
