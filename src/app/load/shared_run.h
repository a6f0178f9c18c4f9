#pragma once

#include <optional>

#include "app/load/loaded_run.h"
#include "app/options/run_request.h"
#include "distributed/trace_part.h"
#include "parallel/process_group.h"

namespace slackline {

/// A process's part of a measured run.
struct SharedRun {
  /// What a report says of the input and the run; its trace is empty. The checksum is known to the
  /// first process only.
  LoadedRun run;
  TracePart part;
  CallMatching matching;  ///< of part.own
  RunSpan span;           ///< of the whole run
};

/// Reads the measured run that is asked for in parts, a process each. All processes call it
/// together, and all get nothing where the parts would not give the answer of the whole: where the
/// run is not a measured one of a native trace, the file is damaged, clocks have to be corrected,
/// or calls lack their partners; and for one-sided communication, whose epochs are not looked at in
/// parts. Throws Error where the processes see different files.
std::optional<SharedRun> load_shared_run(const RunRequest& request, ProcessGroup& group);

}  // namespace slackline
