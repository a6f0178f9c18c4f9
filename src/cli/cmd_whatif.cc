#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/requests/whatif.h"
#include "cli/command_help.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {
namespace {

/// The actions that --set takes, one below the other.
std::string actions_help() {
  std::vector<std::pair<std::string, std::string>> rows = edit_summaries();
  rows.emplace_back("all actions",
                    "region= (or function=), call-path=, ranks=, host=, after= and before= select "
                    "what is edited");
  return "Actions of --set:\n" + help_rows(rows);
}

}  // namespace

Run setup_whatif(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<WhatifRequest>>();
  WhatifRequest& request = command->request;
  add_model_request(parser, request.input, command->output);
  parser.add_option("scenario", request.scenario, "TOML file with edits")->type_name("SCENARIO");
  parser
      .add_option("--set", request.edits,
                  "Edit, applied after those of the scenario; may be repeated (actions: see 'man "
                  "slackline-whatif' or --help-all)")
      ->type_name("EDIT")
      ->allow_extra_args(false);
  parser.details(actions_help());
  parser
      .add_option("--save", request.save,
                  "Write the edited program to this file; format by extension")
      ->type_name("FILE");
  add_network_options(parser, request.input.network);
  add_platform_options(parser, request.platform);
  parser.get_option("--platform")
      ->description("Simulate on this platform (SimGrid XML or TOML) instead of using the model");
  add_reading_options(parser, request.input.reading);
  examples(parser, {"slackline whatif app.slk --set 'balance'",
                    "slackline whatif app.slk --set 'scale factor=0.5 ranks=0-1'",
                    "slackline whatif app.slk --set 'remove-messages max-bytes=2KiB' --format json",
                    "slackline whatif app.slk --set 'remove operation=allreduce' --network ideal",
                    "slackline whatif app.slk scenario.toml --platform cluster.xml",
                    "slackline whatif app.slk scenario.toml --save edited.slk"});
  return report_on<WhatifRequest>(command);
}

}  // namespace slackline
