#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "calls/call_paths.h"
#include "trace/trace.h"
#include "whatif/edit.h"

namespace slackline {

/// Where in a program an edit applies, from these arguments of an Edit:
///   region= or function=  this code region and whatever is called from it
///   call-path=            "main/solve": this call path and whatever is below it
///   ranks= or rank=       "0-7,12"
///   host= or node=        ranks on this host
///   after=, before=       an interval of time since the program's start on the earliest rank; in
///   an
///                         untimed trace, of each rank's own computation
/// Everything where none of them is given. Refers to nothing.
class Selection {
 public:
  /// Throws usage Error for regions, ranks and hosts that the trace has not.
  Selection(const Edit& edit, const Trace& trace, const CallPaths& paths);

  bool has_rank(std::int32_t rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  bool has_path(PathId path) const { return paths_[path]; }
  bool has_call(std::int32_t rank, PathId path, std::int64_t begin_ns) const {
    return has_rank(rank) && has_path(path) && begin_ns >= after_ns_ && begin_ns < before_ns_;
  }
  /// Limits of the interval, in the program's time.
  std::int64_t after_ns() const { return after_ns_; }
  std::int64_t before_ns() const { return before_ns_; }
  /// A region or call path was named.
  bool by_region() const { return by_region_; }

  /// The arguments that a Selection reads.
  static bool knows(std::string_view key);

 private:
  void select_paths(const Edit& edit, const Trace& trace, const CallPaths& paths);
  void select_ranks(const Edit& edit, const Trace& trace);

  std::vector<bool> ranks_, paths_;
  std::int64_t after_ns_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t before_ns_ = std::numeric_limits<std::int64_t>::max();
  bool by_region_ = false;
};

}  // namespace slackline
