#pragma once

#include <optional>
#include <string>
#include <vector>

namespace slackline {

/// A platform to simulate a run on, as a caller writes it. resolve_machine() (app/load/machine.h)
/// reads it.
struct PlatformOptions {
  std::string platform{};                    ///< --platform: a file; empty: none
  std::string hostfile{};                    ///< --hostfile
  std::string map = "cyclic";                ///< --map, without a host file
  std::vector<std::string> options{};        ///< --option, as "name:value"
  std::vector<std::string> option_files{};   ///< --options
  std::optional<std::string> model{};        ///< the network's model; `simulate` only
  std::optional<std::string> collectives{};  ///< selector of the algorithms; `simulate` only
  double compute_scale = 1;                  ///< factor on all computation
  std::string reference_speed{};             ///< as "2.5Gf"; empty: the hosts'

  bool given() const { return !platform.empty(); }
};

}  // namespace slackline
