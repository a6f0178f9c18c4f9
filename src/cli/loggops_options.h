#pragma once

#include <cstdint>
#include <string>
#include "cli/command_parser.h"

#include "cli/model_question.h"
#include "sim/loggops/loggops.h"

namespace slackline {

/// --model loggops and what it has beyond LogGPS.
struct LogGOPSOptions {
  std::string model = "loggps";
  std::string gap = "0ns";
  std::string overhead_per_byte = "0ns/B";
  std::string noise_file{};
  std::uint64_t noise_seed = 1;
  bool noise_coscheduled = false;
  bool simulator_flaws = false;

  bool wanted() const { return model == "loggops"; }
};

void add_loggops_options(CommandParser& parser, LogGOPSOptions& options);

/// For questions that LogGOPS has no answer to. Throws usage Error when it is asked for.
void refuse_loggops(const LogGOPSOptions& options);

/// A program and the model, ready to simulate. A trace becomes a program in which collectives are
/// messages.
struct LogGOPSQuestion {
  GoalProgram program;
  LogGOPS model;
  std::string path;
  Json input;
  Findings findings;
};

/// Throws Error.
LogGOPSQuestion open_loggops_question(const ModelQuestion& question, const LogGOPSOptions& options);

/// Adds command, title, options, input and findings, and writes the report.
void answer(Report report, std::string_view command, const LogGOPSQuestion& opened,
            const ModelQuestion& question, Json own_options = Json::object());

}  // namespace slackline
