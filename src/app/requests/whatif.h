#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/options/loggops_options.h"
#include "app/options/model_request.h"
#include "app/options/platform_options.h"

namespace slackline {

class OptionList;
struct Report;

/// A program before and after some edits, both under the model or on a platform.
struct WhatifRequest {
  ModelRequest input{.reading = {bytes_per_call::kWhatif}};
  std::string scenario{};            ///< a scenario file; empty: only `edits`
  std::vector<std::string> edits{};  ///< "balance region=solve", after those of the file
  PlatformOptions platform{};        ///< to simulate both on; not given: the LogGPS model
  LogGOPSOptions loggops{};          ///< to simulate both under as well
  std::string save{};                ///< a file for the edited program; empty: none
};
void declare(OptionList& options, WhatifRequest& request);

/// Throws Error.
Report execute(const WhatifRequest& request);

/// Names of all actions and what they do, for help.
std::vector<std::pair<std::string, std::string>> edit_summaries();

}  // namespace slackline
