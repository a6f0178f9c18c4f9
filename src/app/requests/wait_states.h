#pragma once

#include <string>

#include "app/options/run_request.h"

namespace slackline {

class OptionList;
struct Report;
class ProcessGroup;

/// Where ranks wait for others in an interval, how long, and what causes it. An eager threshold
/// given in `run.model` holds for measured runs, too: messages of at most that size do not wait for
/// their receiver. Without it, a measured send that is still under way when its receive begins has
/// waited.
struct WaitStatesRequest {
  RunRequest run{.reading = {bytes_per_call::kWaitStates}};
  std::string interval = "common";  ///< --interval, as of analysed_interval.h
};
void declare(OptionList& options, WaitStatesRequest& request);

/// Throws Error.
Report execute(const WaitStatesRequest& request);
/// The same in several processes, which share the work where the answer is the same to the bit.
/// Only the first one gets the report.
Report execute(const WaitStatesRequest& request, ProcessGroup& group);

}  // namespace slackline
