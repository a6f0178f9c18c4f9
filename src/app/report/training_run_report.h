#pragma once

#include <optional>
#include <string>

#include "report/report.h"

namespace slackline {

/// The report of a training run; nothing if `path` is none. Throws Error when it cannot be read.
std::optional<Report> training_run_report(const std::string& path);

}  // namespace slackline
