#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

/// Whether a new version of a program keeps to limits, against a base.
struct CheckRequest {
  std::string base{};                    ///< a summary, a report in JSON, a trace, or a folder
  std::vector<std::string> fresh{};      ///< the same of the new version: repeats
  std::vector<std::string> more_base{};  ///< further runs of the base
  std::string max_slowdown = "2%";       ///< or "none"
  std::string min_parallel_efficiency{};
  RunRequest run{.reading = {bytes_per_call::kWaitStates}};  ///< of traces; its `trace` is not used
};
void declare(OptionList& options, CheckRequest& request);

/// The report has checks. Throws Error.
Report execute(const CheckRequest& request);

}  // namespace slackline
