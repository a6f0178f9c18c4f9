#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/load/loaded_run.h"
#include "app/options/run_request.h"
#include "base/error.h"
#include "base/file.h"
#include "calls/call_matching.h"
#include "parallel/process_group.h"
#include "stretches/stretched_trace.h"

namespace slackline {

/// A measured run that is analysed stretch by stretch: it is large, or several processes share the
/// work.
struct StretchedRun {
  std::unique_ptr<const MappedFile> file;  ///< which `trace` reads
  /// What a report says of the input and the run; its trace has no calls. The checksum is known to
  /// the first process only.
  LoadedRun run;
  StretchedTrace trace;
  RunSpan span;
  ReadingOptions reading;
};

/// Opens the run that is asked for where its stretches are needed and give the answer of the whole.
/// All processes call it together, and all get nothing where one process can do it in its memory
/// and as fast; where the run is not a measured one of a native trace whose clocks are right; and
/// where several processes cannot share it. Throws Error where the processes see different files,
/// and where the trace needs more memory than there is, and cannot be read in stretches. Why the
/// work is not shared is set in `group`.
std::optional<StretchedRun> load_stretches(const RunRequest& request, ProcessGroup& group);

/// Calls analyse(stretch, matching) for each stretch that is this process's, in their order; it
/// returns whether the stretch is independent of the others for that analysis. False in all
/// processes where any is not, or where something is wrong with its calls: then only the analysis
/// of the whole trace is right. Throws Error if that needs more memory than there is.
bool for_own_stretches(StretchedRun& run, ProcessGroup& group,
                       const std::function<bool(const Stretch&, const CallMatching&)>& analyse);

/// Calls visit(stretch) for each of this process's stretches again, which are decoded once more. To
/// be called by all processes, after for_own_stretches() was true. Throws Error in all where the
/// file has changed meanwhile.
void visit_own_stretches(StretchedRun& run, ProcessGroup& group,
                         const std::function<void(const Stretch&)>& visit);

/// One stretch; nothing where the file is damaged or has changed.
std::optional<Stretch> read_stretch(StretchedRun& run, std::size_t number);
/// What follows from the latter after all stretches could be read.
Error changed_while_read();

/// Only the analysis of the whole trace is right, as it has `why`. Throws Error if that needs more
/// memory than there is.
void require_whole(const StretchedRun& run, ProcessGroup& group, const std::string& why);

}  // namespace slackline
