#pragma once

#include <optional>
#include <string>
#include <vector>
#include "cli/command_parser.h"

#include "base/findings.h"
#include "report/report.h"
#include "sim/platform/platform.h"
#include "sim/platform/rank_map.h"
#include "sim/simulation.h"
#include "sim/smpi_options.h"
#include "trace/trace.h"

namespace slackline {

/// A machine to simulate a run on, as typed. Shared by the commands that simulate.
struct PlatformOptions {
  std::string platform{};  ///< --platform; empty: none
  std::string hostfile{};
  std::string map = "cyclic";
  std::vector<std::string> options{};  ///< --option
  std::vector<std::string> option_files{};
  std::optional<std::string> model{};        ///< of the network; `simulate` only
  std::optional<std::string> collectives{};  ///< who selects; `simulate` only
  double compute_scale = 1;
  std::string reference_speed{};

  bool given() const { return !platform.empty(); }
};

/// Declares --platform and what goes with it, in a group of the help; an empty group is that of all
/// other options.
void add_platform_options(CommandParser& parser, PlatformOptions& options,
                          const std::string& group);

/// The machine, who runs where on it, and how it is simulated.
struct Machine {
  Platform platform;
  RankMap hosts{};
  SmpiOptions smpi{};
  SimulationOptions simulation{};
};

/// Reads the files; what they hold beyond what is understood becomes findings. Throws Error.
Machine resolve_machine(const PlatformOptions& options, const Trace& trace, Findings& findings);

/// The effective options.
Json to_json(const PlatformOptions& options, const SmpiOptions& smpi);

}  // namespace slackline
