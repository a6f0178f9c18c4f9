#include <memory>

#include "app/requests/print.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/shared_options.h"

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

Run setup_print(CommandParser& parser) {
  auto command = std::make_shared<PrintCommand>();
  PrintRequest& request = command->request;
  add_trace(parser, request.trace, request.reading);
  parser.add_option("--rank", request.rank, "Print this rank only")->type_name("RANK");
  parser.add_option("-o,--output", command->output.file, "Output file (default: standard output)")
      ->type_name("FILE");
  examples(parser, {"slackline print app.slk", "slackline print app.slk --rank 3 -o rank3.txt",
                    "slackline print app.slk | grep -c isend"});
  return [command] { return print_trace(*command); };
}

}  // namespace slackline
