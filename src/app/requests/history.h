#pragma once

#include <cstdint>
#include <string>

#include "app/options/run_request.h"

namespace slackline {

class OptionList;
struct Report;

/// Efficiencies by commit and number of ranks, and the commits that changed them; or the runs that
/// lose most rank time.
struct HistoryRequest {
  std::string folder{};    ///< of summaries, reports in JSON or recordings
  std::string commits{};   ///< file with their order, one a line; empty: by date
  std::string badge{};     ///< file to write, or empty
  std::string since{};     ///< "2026-11-20": date of the first runs to look at; empty: of all
  std::int32_t worst = 0;  ///< number of runs that lose most to report instead; 0: none
  std::string runs{};      ///< file with a table of the runs to write (write_runs()), or empty
  RunRequest run{.reading = {bytes_per_call::kWaitStates}};  ///< of traces; its `trace` is not used
};
void declare(OptionList& options, HistoryRequest& request);

/// Throws Error.
Report execute(const HistoryRequest& request);

}  // namespace slackline
