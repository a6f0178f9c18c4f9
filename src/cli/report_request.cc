#include "cli/report_request.h"

#include "cli/shared_options.h"

namespace slackline {

void add_report_request(CommandParser& parser, ReportCommand<ReportRequest>& command) {
  ReportRequest& request = command.request;
  add_model_request(parser, request.input, command.output, OverheadShortName::none);
  parser
      .add_option("other", request.other,
                  "A second trace: instead of all of the first the differences between the two")
      ->type_name("TRACE");
  add_degradations(parser, request.degradations);
  parser
      .add_option("--compare", request.compare,
                  "Show T(L) with these collectives, too; repeat for each")
      ->type_name("RULES")
      ->allow_extra_args(false)  // or it would swallow the trace that follows
      ->group("Model");
  add_network_options(parser, request.input.network);
  const char* simulation = "Simulation";
  add_platform_options(parser, request.machine, simulation);
  parser
      .add_option("--links", request.links,
                  "How many of the most contended links to show, and of the messages slowed most")
      ->type_name("N")
      ->capture_default_str()
      ->group(simulation);
  add_fix_clocks(parser, request.input.fix_clocks);
}

void write_full_report(ReportCommand<ReportRequest>& command) {
  command.request.pictures = output_format(command.output) == OutputFormat::html;
  write_report(execute(command.request), command.output);
}

}  // namespace slackline
