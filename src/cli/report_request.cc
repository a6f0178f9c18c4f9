#include "cli/report_request.h"

#include "cli/shared_options.h"

namespace slackline {

void add_report_request(CommandParser& parser, ReportCommand<ReportRequest>& command) {
  ReportRequest& request = command.request;
  add_model_request(parser, request.input, command.output);
  parser
      .add_option("other", request.other,
                  "Second trace: report the differences between the two runs")
      ->type_name("TRACE");
  add_degradations(parser, request.degradations);
  parser
      .add_option("--compare", request.compare,
                  "Also show T(L) with these collective algorithms; may be repeated")
      ->type_name("RULES")
      ->allow_extra_args(false);  // or it would swallow the trace that follows
  add_network_options(parser, request.input.network);
  add_platform_options(parser, request.machine);
  parser
      .add_option(
          "--links", request.links,
          "With --platform: number of most contended links and most delayed messages to show")
      ->type_name("N")
      ->capture_default_str();
  add_reading_options(parser, request.input.reading);
  add_interval(parser, request.interval);
  parser
      .add_option("--section", request.sections,
                  "Sections to show, separated by commas: diagnosis, questions, timeline, time, "
                  "machine, waits, phases, efficiency, path, imbalance, regions, collectives, "
                  "matrices, model")
      ->type_name("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false);  // or it would swallow the trace that follows
}

int write_full_report(ReportCommand<ReportRequest>& command, bool all) {
  ReportRequest& request = command.request;
  const OutputFormat format = output_format(command.output);
  request.pictures = format == OutputFormat::html;
  request.screen = format == OutputFormat::text && !all && request.sections.empty() &&
                   request.compare.empty() && !request.machine.given();
  return write_report(execute(request), command.output);
}

}  // namespace slackline
