#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/waits/wait_states.h"
#include "calls/call_paths.h"
#include "graph/execution_graph.h"
#include "page/drawn_calls.h"
#include "trace/trace.h"

namespace slackline {

/// When the calls of one rank begin and end in some run of a trace; nanoseconds from that run's
/// start.
class RowTimes {
 public:
  /// As measured. Refers to `calls`.
  RowTimes(const RankCalls& calls, std::int64_t zero_ns);
  /// As computed: one begin and one end a call.
  RowTimes(std::vector<std::int64_t> begin_ns, std::vector<std::int64_t> end_ns,
           std::int64_t row_begin_ns, std::int64_t row_end_ns);

  std::size_t size() const { return calls_ != nullptr ? calls_->size() : begin_.size(); }
  std::int64_t begin_ns(std::size_t i) const {
    return calls_ != nullptr ? calls_->begin_ns(i) - zero_ : begin_[i];
  }
  std::int64_t end_ns(std::size_t i) const {
    return calls_ != nullptr ? calls_->end_ns(i) - zero_ : end_[i];
  }
  /// The rank's own begin and end.
  std::int64_t row_begin_ns() const { return row_begin_; }
  std::int64_t row_end_ns() const { return row_end_; }
  /// The first call that begins at `time_ns` or later. Logarithmic.
  std::size_t first_from(std::int64_t time_ns) const;

 private:
  const RankCalls* calls_ = nullptr;
  std::int64_t zero_ = 0;
  std::vector<std::int64_t> begin_, end_;
  std::int64_t row_begin_ = 0, row_end_ = 0;
};

struct RunTimes {
  std::vector<RowTimes> ranks;
  std::int64_t span_ns = 0;  ///< when the last row ends
};

/// As it was measured, from the first rank's start. Refers to `trace`, which is timed.
RunTimes measured_times(const Trace& trace);
/// As `timed` has it, whose time 0 lies `offset_ns` after the time line's. Refers to `timed`.
RunTimes timed_run(const Trace& timed, std::int64_t offset_ns);
/// The same calls under a Schedule (analysis/runs/scheduled_calls.h) whose time 0 lies `offset_ns`
/// after the time line's: in a measured run RunSpan::lead_ns(). O(vertices + calls).
RunTimes scheduled_times(const Trace& trace, const ExecutionGraph& graph, const Schedule& schedule,
                         std::int64_t offset_ns);

/// From when on a rank is in which call path.
struct PathChange {
  std::int64_t at_ns;
  PathId path;
};

/// Regions per rank, in order of time; nothing where there is only one path. The measured run's
/// begin and end of regions; in other runs a region changes where the calls do.
std::vector<std::vector<PathChange>> path_changes(const Trace& trace, const CallPaths& paths,
                                                  const RunTimes& times, bool measured);

/// The same where paths are known at each call.
std::vector<std::vector<PathChange>> path_changes(const DrawnCalls& calls, const RunTimes& times);

/// What each of `ranks` really waited for, in program order: the effective states.
std::vector<std::vector<WaitState>> waits_by_rank(std::int32_t ranks, const WaitStates& waits);

}  // namespace slackline
