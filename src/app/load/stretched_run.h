#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/load/loaded_run.h"
#include "app/options/run_request.h"
#include "base/error.h"
#include "base/file.h"
#include "calls/call_matching.h"
#include "calls/causal_order.h"
#include "calls/run_part.h"
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

/// When a run is read in stretches: where that is as fast as reading it whole, or shared among
/// processes; only where the whole does not fit in the first process's memory; always, if only as
/// one stretch; or never, as more is asked than stretches tell.
enum class StretchUse : std::uint8_t { for_speed, for_memory, always, never };

/// Opens the run that is asked for where its stretches are needed and give the answer of the whole.
/// All processes call it together, and all get nothing where `use` does not apply; where the run is
/// not a measured one whose clocks are right, of a native trace, or of a recording that several
/// processes read or that is always read in stretches, in a folder that can be written to; and
/// where several processes cannot share it.
/// Throws Error where the processes see different files, and where the trace needs more memory than
/// there is, and cannot be read in stretches. Why the work is not shared is set in `group`, but for
/// StretchUse::never.
std::optional<StretchedRun> load_stretches(const RunRequest& request, ProcessGroup& group,
                                           StretchUse use = StretchUse::for_speed);

/// A stretch that has been read, for all analyses. Not for several threads at once.
class LoadedStretch {
 public:
  /// `only`: the process has no other one.
  LoadedStretch(Stretch stretch, bool only) : stretch_(std::move(stretch)), only_(only) {}
  LoadedStretch(const LoadedStretch&) = delete;
  LoadedStretch& operator=(const LoadedStretch&) = delete;

  const Trace& trace() const { return stretch_.trace; }
  const RunPart& part() const { return stretch_.part; }
  const Samples& samples() const { return stretch_.samples; }
  const std::vector<CallIndex>& first_calls() const { return stretch_.first_calls; }
  /// Its calls as matched when this is first asked for.
  const CallMatching& matching() const {
    if (!matching_) matching_.emplace(stretch_.trace);
    return *matching_;
  }
  /// How calls depend on each other, as found when this is first asked for.
  const CausalOrder& order() const {
    if (!order_) order_.emplace(stretch_.trace, matching());
    return *order_;
  }
  /// Whether it stays in memory: then add_again() gets the same object as add().
  bool stays() const { return only_; }

 private:
  Stretch stretch_;
  bool only_;
  mutable std::optional<CallMatching> matching_;
  mutable std::optional<CausalOrder> order_;
};

class Run;

/// An analysis of a run (app/load/run.h): of the whole in one process, or stretch by stretch, each
/// process some of them, with the same result.
class RunAnalysis {
 public:
  RunAnalysis() = default;
  RunAnalysis(const RunAnalysis&) = delete;
  RunAnalysis& operator=(const RunAnalysis&) = delete;
  virtual ~RunAnalysis() = default;

  /// Analyses a run that is in memory as a whole, perhaps after abandon().
  virtual void analyse(const Run& run) = 0;

  /// Before any stretch of that run, which lasts until finish().
  virtual void begin(const StretchedRun& run) = 0;
  /// A stretch, in the order of time. False if it depends on others for this analysis: then only
  /// the whole trace tells.
  virtual bool add(const LoadedStretch& stretch) = 0;
  /// Puts together what all processes have found, in all. Returns whether the stretches are needed
  /// once more, which is the same in all.
  virtual bool join(ProcessGroup& /*group*/) { return false; }
  /// A stretch again, after join() was true.
  virtual void add_again(const LoadedStretch& /*stretch*/) {}
  /// After add(), where a stretch depends on others: frees what is large.
  virtual void abandon() {}
  /// After all of these, or after join() alone.
  virtual void finish(ProcessGroup& group) = 0;
};

/// Calls all processes together. False in all where a stretch depends on others, or where something
/// is wrong with its calls: then only the whole trace is right. Throws Error in all if that needs
/// more memory than there is, and where the file changes meanwhile.
bool analyse_stretches(StretchedRun& run, ProcessGroup& group,
                       std::span<RunAnalysis* const> analyses);

/// One stretch; nothing where the file is damaged or has changed.
std::optional<Stretch> read_stretch(StretchedRun& run, std::size_t number);
/// What follows from the latter after all stretches could be read.
Error changed_while_read();

/// Only the analysis of the whole trace is right, as it has `why`. Throws Error if that needs more
/// memory than there is.
void require_whole(const StretchedRun& run, ProcessGroup& group, const std::string& why);

}  // namespace slackline
