#include <memory>

#include "app/requests/print.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace slackline {
namespace {

struct PrintCommand {
  PrintRequest request{};
  OutputOptions output{};
};

int print_trace(const PrintCommand& command) {
  const OpenedTrace opened = load(command.request);
  OutputSink sink(command.output);
  print(opened, command.request, [&](std::string_view text) { sink.write(text); });
  sink.finish();
  return 0;
}

}  // namespace

Run setup_print(OptionList& options) {
  auto command = std::make_shared<PrintCommand>();
  declare(options, command->request);
  options.add("-o,--output FILE", command->output.file, "Output file (default: standard output)");
  return [command] { return print_trace(*command); };
}

}  // namespace slackline
