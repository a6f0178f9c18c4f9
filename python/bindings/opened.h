#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "app/load/loaded_run.h"
#include "calls/call_paths.h"
#include "formats/open/open.h"
#include "formats/tables/trace_tables.h"

namespace slackline::python {

/// A trace that was opened, with joined columns, and what its tables share: made when first asked
/// for, from any thread.
class Opened {
 public:
  explicit Opened(LoadedRun run) : run_(std::move(run)) {}

  const LoadedRun& run() const { return run_; }
  const OpenedTrace& opened() const { return run_.opened; }
  const Trace& trace() const { return run_.opened.trace; }
  /// Those of regions if the program has marked any, else of functions.
  const CallPaths& paths() const;
  /// Those of functions; only one where the recording has no call paths.
  const CallPaths& function_paths() const;
  const CallMatching& matching() const;
  const TraceTable& calls() const { return calls_; }

 private:
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const CallMatching> matching_;
  mutable std::unique_ptr<const CallPaths> paths_;
  mutable std::unique_ptr<const CallPaths> function_paths_;
  LoadedRun run_;
  TraceTable calls_ = calls_table(trace(), [this]() -> const CallPaths& { return paths(); });
};

/// pybind11 holds no pointers to const; nobody changes what one of these points to.
using OpenedPtr = std::shared_ptr<Opened>;

/// The names of MPI of all operations, by their numbers.
std::vector<std::string> operation_names();

/// Reads a trace as it is, or with the times of `request.on`. Throws Error.
OpenedPtr open_run(const RunRequest& request);

}  // namespace slackline::python
