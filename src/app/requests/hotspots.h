#pragma once

#include <cstddef>
#include <string>

#include "app/options/run_request.h"

namespace slackline {

class OptionList;
struct Report;

/// Where in the code a run spends its time, on the critical path and at all.
struct HotspotsRequest {
  RunRequest run{.reading = {bytes_per_call::kHotspots}};
  std::string by = "function";      ///< function, line, call-path or module
  std::string interval = "common";  ///< see resolve_interval()
  std::size_t rows = 20;            ///< of the table; the result has all
};
void declare(OptionList& options, HotspotsRequest& request);

/// Throws Error, also for a trace without call paths and regions.
Report execute(const HotspotsRequest& request);

}  // namespace slackline
