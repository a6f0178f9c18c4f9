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

/// Members of requests that follow from what the command line does with the answer.
template <class Request>
void set_by_output(Request& request, const OutputOptions& output) {
  const OutputFormat format = output_format(output);  // refuses what cannot be written
  if constexpr (requires { request.pictures; }) request.pictures = format == OutputFormat::html;
  if constexpr (requires { request.segments; }) request.segments = tells_result(output);
  if constexpr (requires { request.keep_on_interrupt; }) request.keep_on_interrupt = true;
}

/// Executes the request and has the report written, by which is given the exit status; of several
/// processes, the first one writes.
template <class Request, class Write = decltype(&write_report)>
int report_on(ReportCommand<Request>& command, const Write& write = write_report) {
  set_by_output(command.request, command.output);
  if constexpr (kSharesWork<Request>) {
    const Report report = execute(command.request, command_processes());
    return command_processes().is_first() ? write(report, command.output) : 0;
  } else {
    return write(execute(command.request), command.output);
  }
}

/// A command that has the options of its request and those of the output.
template <class Request>
CommandAction setup_report_command(OptionList& options) {
  auto command = std::make_shared<ReportCommand<Request>>();
  declare(options, command->request);
  declare(options, command->output);
  return [command] { return report_on(*command); };
}

}  // namespace slackline
