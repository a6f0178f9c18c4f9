#include <memory>

#include "app/requests/convert.h"
#include "base/output_target.h"
#include "cli/report_command.h"

namespace slackline {

Run setup_convert(OptionList& options) {
  auto command = std::make_shared<ReportCommand<ConvertRequest>>();
  declare(options, command->request);
  options.add("--format", command->output.format, "Format of the summary",
              {.choices = {"text", "json"}});
  options.add("-q,--quiet", command->output.quiet, "Suppress messages");
  return [command] {
    const Report report = execute(command->request);
    OutputOptions summary = command->output;
    if (is_standard_output(command->request.out)) {
      summary.file = "/dev/stderr";
      summary.quiet = true;  // nothing else may follow the trace
    }
    if (!command->output.quiet) write_report(report, summary);
    return 0;
  };
}

}  // namespace slackline
