#include <fmt/format.h>

#include <memory>
#include <string>

#include "app/requests/whatif.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {
namespace {

std::string set_help() {
  std::string text = "Edit, applied after those of the scenario; may be repeated. Actions: ";
  for (const auto& [name, summary] : edit_summaries()) {
    text += fmt::format("{}{} ({})", text.ends_with(' ') ? "" : "; ", name, summary);
  }
  return text +
         ". All of them take region= (or function=), call-path=, ranks=, host=, after= and before=";
}

}  // namespace

Run setup_whatif(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<WhatifRequest>>();
  WhatifRequest& request = command->request;
  add_model_request(parser, request.input, command->output);
  parser.add_option("scenario", request.scenario, "TOML file with edits")->type_name("SCENARIO");
  parser.add_option("--set", request.edits, set_help())->type_name("EDIT")->allow_extra_args(false);
  parser
      .add_option("--save", request.save,
                  "Write the edited program to this file; format by extension")
      ->type_name("FILE");
  add_network_options(parser, request.input.network);
  add_platform_options(parser, request.platform, "Platform (instead of the model)");
  add_clock_options(parser, request.input.clocks);
  examples(parser, {"slackline whatif app.slk --set 'balance'",
                    "slackline whatif app.slk --set 'scale factor=0.5 ranks=0-1'",
                    "slackline whatif app.slk --set 'remove-messages max-bytes=2KiB' --format json",
                    "slackline whatif app.slk --set 'remove operation=allreduce' --network ideal",
                    "slackline whatif app.slk scenario.toml --platform cluster.xml",
                    "slackline whatif app.slk scenario.toml --save edited.slk"});
  return report_on<WhatifRequest>(command);
}

}  // namespace slackline
