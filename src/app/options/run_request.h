#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options/model_options.h"
#include "app/options/reading_options.h"

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
  std::optional<std::string> noise{};        ///< as "amplitude=5% messages=1us"; `simulate` only
  std::uint64_t seed = 1;                    ///< of the noise

  bool given() const { return !platform.empty(); }
};

/// A run of a program: the one that was measured, the one that the model predicts, or the one that
/// a simulation on a platform gives.
struct RunRequest {
  std::string trace{};  ///< empty: the newest recording in the current folder
  /// "measured", "predicted" or "simulated"; empty: measured where the trace has times, else
  /// predicted.
  std::string on{};
  ReadingOptions reading{};
  ModelOptions model{};        ///< of predicted runs
  NetworkOptions network{};    ///< of predicted runs
  PlatformOptions platform{};  ///< of simulated runs
};

/// A trace, and the model under which it is looked at.
struct ModelRequest {
  std::string trace{};  ///< empty: the newest recording in the current folder
  ReadingOptions reading{};
  ModelOptions model{};
  NetworkOptions network{};
};

/// Where reduced graphs are kept from one run of the program to the next.
struct CacheOptions {
  std::string where = "auto";  ///< "auto" (user's folder, of large traces) or a folder
  bool none = false;           ///< neither read nor written
};

}  // namespace slackline
