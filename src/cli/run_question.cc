#include "cli/run_question.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/model_question.h"

namespace slackline {

void add_run_question(CommandParser& parser, RunQuestion& question) {
  parser
      .add_option("trace", question.trace,
                  "A trace file or recording folder; without it the newest slackline-trace* here")
      ->type_name("TRACE");
  add_output_options(parser, question.output);
}

OpenedTrace open_run(const std::string& trace) {
  return open_trace(trace.empty() ? newest_recording() : trace);
}

std::string subject(const OpenedTrace& opened) {
  const std::string& program = opened.trace.info().program;
  const std::string first = program.substr(0, program.find(' '));
  const std::string name =
      std::filesystem::path(program.empty() ? opened.path : first).filename().string();
  const std::int32_t ranks = opened.trace.ranks();
  return fmt::format("{} ({} rank{})", name, ranks, ranks == 1 ? "" : "s");
}

void answer(Report report, std::string_view command, const OpenedTrace& opened,
            const OutputOptions& output, Json options) {
  report.command = command;
  report.title = fmt::format("{}: {}", command, subject(opened));
  report.options = std::move(options);
  report.input = input_to_json(opened);
  report.findings.merge(opened.trace.findings());
  write_report(report, output);
}

}  // namespace slackline
