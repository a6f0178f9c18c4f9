#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "calls/call_paths.h"
#include "calls/computation_code.h"
#include "calls/program_steps.h"
#include "trace/samples.h"
#include "trace/trace.h"
#include "whatif/edit.h"

namespace slackline {

/// Throws usage Error for a rank that the trace does not have.
void require_rank(const Edit& edit, std::string_view key, std::int32_t rank, const Trace& trace);

/// Where in a program an edit applies, from these arguments of an Edit:
///   region= or function=  this code region and whatever is called from it; function= may also name
///                         a function of the recorded call paths and samples
///   call-path=            "main/solve": this call path and whatever is below it
///   ranks= or rank=       "0-7,12"
///   host= or node=        ranks on this host
///   after=, before=       an interval of time since the program's start on the earliest rank; in
///   an
///                         untimed trace, of each rank's own computation
/// Everything where none of them is given. Refers to the program.
class Selection {
 public:
  /// Throws usage Error for regions, ranks and hosts that the trace has not.
  Selection(const Edit& edit, const ProgramView& program, const CallPaths& paths);

  bool has_rank(std::int32_t rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  bool has_path(PathId path) const { return paths_[path]; }
  /// `frame`: of the call.
  bool has_call(std::int32_t rank, PathId path, FrameId frame, std::int64_t begin_ns) const {
    return has_rank(rank) && has_path(path) && (code_ == nullptr || frames_[frame]) &&
           begin_ns >= after_ns_ && begin_ns < before_ns_;
  }
  /// What is selected of `ns` of a stretch, in a rank and path that are selected.
  std::int64_t selected_ns(std::int32_t rank, const Computation& stretch, std::int64_t ns) const {
    if (code_ == nullptr) return ns;
    return code_->selected_ns(rank, stretch.before_call, ns, stretch.blocked, frames_);
  }
  /// A function was named that is no code region: each stretch of its computation is a visit.
  bool by_function() const { return code_ != nullptr; }
  /// Limits of the interval, in the program's time.
  std::int64_t after_ns() const { return after_ns_; }
  std::int64_t before_ns() const { return before_ns_; }
  /// A region or call path was named.
  bool by_region() const { return by_region_; }

  /// The arguments that a Selection reads.
  static bool knows(std::string_view key);

 private:
  void select_paths(const Edit& edit, const ProgramView& program, const CallPaths& paths);
  void select_ranks(const Edit& edit, const Trace& trace);
  void select_function(const Edit& edit, const std::string& function, const ProgramView& program);

  std::vector<bool> ranks_, paths_;
  std::vector<bool> frames_;                     // of the call tree; only where code_ is
  std::shared_ptr<const ComputationCode> code_;  // where a function was named
  std::int64_t after_ns_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t before_ns_ = std::numeric_limits<std::int64_t>::max();
  bool by_region_ = false;
};

}  // namespace slackline
