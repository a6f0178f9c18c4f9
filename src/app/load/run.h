#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

#include "app/load/loaded_run.h"
#include "app/load/stretched_run.h"
#include "app/options/run_request.h"
#include "calls/call_paths.h"
#include "parallel/process_group.h"

namespace slackline {

/// A run to analyse: in memory as a whole, or in stretches, where it is large or several processes
/// share it. As a whole it is in the first process only.
class Run {
 public:
  /// All processes of `group`, to which it keeps a reference, call it together. Throws Error as
  /// load_stretches() and load_run().
  static Run open(const RunRequest& request, ProcessGroup& group,
                  StretchUse use = StretchUse::for_speed);
  /// The same, but std::nullopt in all processes if the run has to be read whole.
  static std::optional<Run> open_in_stretches(const RunRequest& request, ProcessGroup& group,
                                              StretchUse use = StretchUse::for_speed);
  /// One that has been read. Keeps a reference to `group`.
  Run(LoadedRun whole, ProcessGroup& group) : group_(&group), whole_(std::move(whole)) {}

  /// Whether this process has it. If not, the next four must not be called.
  bool is_here() const { return stretches_ || whole_; }
  /// What reports say of it. In stretches its trace has no calls.
  const LoadedRun& loaded() const { return stretches_ ? stretches_->run : *whole_; }
  const Trace& trace() const { return loaded().trace(); }
  std::uint64_t calls() const;
  /// Its call paths by marked regions or else by functions, as analyses of it name them.
  const CallPaths& paths() const;

  /// Makes the analyses: in stretches, or of the whole, which is read now if a stretch turns out to
  /// depend on others. All processes call it together. Throws Error as load_run(), and where a run
  /// in stretches changes meanwhile.
  void analyse(std::initializer_list<RunAnalysis*> analyses);
  /// The same of a run in stretches, but false in all processes where the whole must be read.
  bool analyse_in_stretches(std::initializer_list<RunAnalysis*> analyses);

 private:
  Run(RunRequest request, ProcessGroup& group, std::optional<StretchedRun> stretches)
      : request_(std::move(request)), group_(&group), stretches_(std::move(stretches)) {}

  RunRequest request_{};
  ProcessGroup* group_;
  std::optional<StretchedRun> stretches_{};
  std::optional<LoadedRun> whole_{};
  mutable std::optional<CallPaths> paths_{};
};

}  // namespace slackline
