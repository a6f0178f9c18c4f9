#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include "cli/command_parser.h"

#include "cli/model_question.h"
#include "cli/platform_options.h"
#include "report/report.h"

namespace slackline {

/// What `report` and `view` have in common: a run or two, a model, degradations.
struct ReportQuestion {
  ModelQuestion question{};
  std::string other{};  ///< a second run to compare with; empty: none
  std::vector<std::string> degradations{};
  std::vector<std::string> compare{};  ///< other collective algorithms
  PlatformOptions machine{};           ///< to simulate the run on, too
  std::size_t links = 8;               ///< shown of that machine
};

void add_report_question(CommandParser& parser, ReportQuestion& question);

/// Reads the runs and writes all there is to say of them where the output's options say.
void answer_report(const ReportQuestion& question, std::string_view command);

}  // namespace slackline
