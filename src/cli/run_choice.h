#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include "cli/command_parser.h"

#include "base/findings.h"
#include "cli/model_options.h"
#include "cli/network_options.h"
#include "cli/output.h"
#include "cli/platform_options.h"
#include "formats/open/open.h"
#include "report/report.h"

namespace slackline {

/// Which run of a program a command speaks of, as typed: the one that was measured, or the one that
/// the model predicts, or that a simulation of a platform gives.
struct RunChoice {
  std::string on{};  ///< empty: measured where the trace has times, else predicted
  OpenOptions open{};
  ModelOptions model{};
  NetworkOptions network{};
  PlatformOptions platform{};
};

/// The group of the platform's options in the help.
inline constexpr const char* kSimulatedRuns = "Platform (simulated runs)";
/// Declares --on, --fix-clocks, the model's and the network's options, and those of the platform.
void add_run_choice(CommandParser& parser, RunChoice& choice);

/// The run, with its times.
struct ChosenRun {
  OpenedTrace opened;
  std::string on;      ///< measured, predicted or simulated
  bool asked = false;  ///< by --on; else told by whether the trace has times
  /// Known of predicted runs: messages of at most so many bytes do not wait for their receiver.
  std::optional<std::uint64_t> eager_bytes{};
  Json options = Json::object();  ///< effective ones: "on" and those of the model or the platform
  Findings findings{};

  const Trace& trace() const { return opened.trace; }
};

/// Reads the trace (an empty name: the newest recording) and gives it the times that were asked
/// for. Throws usage Error for an unknown choice, for a simulation without a platform, and where
/// measured times are asked of a trace that has none.
ChosenRun open_chosen_run(const std::string& trace, const RunChoice& choice);

/// Says in title, options and findings which run the answer speaks of, adds the input and the
/// trace's findings, and writes it.
void answer(Report report, std::string_view command, const ChosenRun& run,
            const OutputOptions& output, Json own_options);

/// The paragraph that says so where it is not the measured run; nothing where it is.
void say_which_run(Report& report, const ChosenRun& run);

}  // namespace slackline
