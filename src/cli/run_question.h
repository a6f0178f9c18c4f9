#pragma once

#include <string>
#include <string_view>
#include "cli/command_parser.h"

#include "cli/output.h"
#include "formats/open/open.h"
#include "report/report.h"

namespace slackline {

/// What commands that speak of the measured run have in common: a trace and an answer, no model.
struct RunQuestion {
  std::string trace{};
  OutputOptions output{};
};

/// Declares the trace and the output's options.
void add_run_question(CommandParser& parser, RunQuestion& question);

/// An empty name means the newest recording in the current folder.
OpenedTrace open_run(const std::string& trace);

/// Adds command, title, options, input and the trace's findings, and writes the report.
void answer(Report report, std::string_view command, const OpenedTrace& opened,
            const OutputOptions& output, Json options);

/// What was run, or the file if that is not known: "stencil2d (4 ranks)".
std::string subject(const OpenedTrace& opened);

}  // namespace slackline
