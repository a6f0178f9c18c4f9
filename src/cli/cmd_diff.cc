#include <memory>

#include "app/requests/diff.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {

Run setup_diff(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<DiffRequest>>();
  DiffRequest& request = command->request;
  parser.add_option("a", request.a, "Trace of run A")->type_name("A");
  parser.add_option("b", request.b, "Trace of run B")->type_name("B");
  parser
      .add_option("--more-a", request.more_a,
                  "Further run of the program of A; may be repeated. With several runs on both "
                  "sides, differences are tested for significance")
      ->type_name("TRACE")
      ->allow_extra_args(false);
  parser.add_option("--more-b", request.more_b, "Further run of the program of B; may be repeated")
      ->type_name("TRACE")
      ->allow_extra_args(false);
  parser.add_option("--on-b", request.on_b, "Run to analyse in B (default: as --on)")
      ->type_name("RUN");
  parser.add_option("--count", request.count, "Largest number of differences in JSON")
      ->positive()
      ->type_name("N")
      ->capture_default_str();
  add_run_options(parser, request.run);
  add_memory(parser, request.run.reading);
  add_output_options(parser, command->output);
  examples(parser,
           {"slackline diff before.slk after.slk",
            "slackline diff app.slk app.slk --on-b predicted --format json",
            "slackline diff before.slk after.slk --more-a before-2.slk --more-b after-2.slk"});
  return report_on<DiffRequest>(command);
}

}  // namespace slackline
