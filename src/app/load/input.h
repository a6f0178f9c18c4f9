#pragma once

#include <string>
#include <string_view>

#include "formats/open/open.h"
#include "report/report.h"

namespace slackline {

/// The newest folder "slackline-trace*" in the current one. Throws usage Error if there is none.
std::string newest_recording();

/// `trace`, or the newest recording if it is empty.
std::string input_path(const std::string& trace);

/// Reads `trace`, or the newest recording if it is empty. Throws Error.
OpenedTrace open_input(const std::string& trace, const OpenOptions& options = {});

/// Identity of an input, for Report::input.
Json input_to_json(const OpenedTrace& opened);

/// The program that ran, or the file if it is not known: "stencil2d (4 ranks)".
std::string subject(const OpenedTrace& opened);

/// `report` with its command, title, options and input, and the trace's findings added.
Report with_context(Report report, std::string_view command, const OpenedTrace& opened,
                    Json options);

}  // namespace slackline
