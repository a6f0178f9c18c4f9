#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/paths/critical_path.h"
#include "base/arithmetic.h"
#include "calls/call_paths.h"
#include "calls/computation_code.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// The code that the time of a run belongs to, as frames of one call tree: functions and lines
/// where the recording has call paths, else the regions that the program has marked.
class RunCode {
 public:
  /// `samples` of the trace; null: none. Keeps references. O(calls of regions + samples + frames).
  RunCode(const Trace& trace, const Samples* samples);

  /// Whether there are functions or regions.
  bool known() const { return !tree().empty(); }
  /// Whether frames are regions, without files, lines and modules.
  bool of_regions() const { return !functions_.has_value(); }
  /// Whether samples say where the ranks computed.
  bool sampled() const { return functions_.has_value() && functions_->sampled(); }

  const CallTree& tree() const { return of_regions() ? regions_ : trace_.call_tree(); }
  /// What critical_path() has to tell apart.
  const CallPaths& paths() const { return paths_; }

  /// Where a call of MPI was made; 0 is not known.
  FrameId of_call(std::int32_t rank, std::uint32_t call) const {
    if (of_regions()) return frame_of_path_[paths_.at_call(rank, call)];
    return trace_.calls(rank).frame(call);
  }

  /// Calls visit(frame, ns) for the places of `ns` of the computation right before `call`. The
  /// parts add up to `ns`.
  template <class Visit>
  void split(std::int32_t rank, std::uint32_t call, std::int64_t ns, Visit visit) const {
    if (functions_) return functions_->split(rank, call, ns, visit);
    const std::int64_t gap = trace_.calls(rank).gap_ns(call);
    std::int64_t done_of_gap = 0;
    std::int64_t done = 0;
    // CPU time may be less than the gap: each part has its share.
    paths_.split_gap(rank, call, [&](PathId path, std::int64_t part) {
      done_of_gap += part;
      const auto until = static_cast<std::int64_t>(Int128{ns} * done_of_gap / gap);
      if (until > done) visit(frame_of_path_[path], until - done);
      done = until;
    });
  }

  /// The same for `ns` of a segment of a critical path of `paths()`; nothing for a late start.
  template <class Visit>
  void split(const ActivitySegment& segment, std::int64_t ns, Visit visit) const {
    if (ns <= 0 || segment.late_start) return;
    if (of_regions()) return visit(frame_of_path_[segment.path], ns);
    if (segment.operation != Operation::none) return visit(of_call(segment.rank, segment.call), ns);
    functions_->split(segment.rank, segment.call, ns, visit);
  }

 private:
  const Trace& trace_;
  CallPaths paths_;
  std::optional<ComputationCode> functions_;
  CallTree regions_;
  std::vector<FrameId> frame_of_path_;
};

}  // namespace slackline
