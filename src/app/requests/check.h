#pragma once

#include <string>
#include <vector>

#include "app/options/run_request.h"

namespace slackline {

class OptionList;
struct Report;

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
