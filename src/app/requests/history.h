#pragma once

#include <string>

#include "app/options/run_request.h"

namespace slackline {

class OptionList;
struct Report;

/// Efficiencies by commit and number of ranks, and the commits that changed them.
struct HistoryRequest {
  std::string folder{};   ///< of summaries, reports in JSON or recordings
  std::string commits{};  ///< file with their order, one a line; empty: by date
  std::string badge{};    ///< file to write, or empty
  RunRequest run{.reading = {bytes_per_call::kWaitStates}};  ///< of traces; its `trace` is not used
};
void declare(OptionList& options, HistoryRequest& request);

/// Throws Error.
Report execute(const HistoryRequest& request);

}  // namespace slackline
