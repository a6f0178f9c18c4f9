#pragma once

#include <string>

#include "app/options/model_options.h"
#include "app/options/network_options.h"
#include "app/options/platform_options.h"
#include "app/options/reading_options.h"

namespace slackline {

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

}  // namespace slackline
