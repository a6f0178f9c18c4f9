#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calls/call_paths.h"
#include "calls/run_part.h"
#include "formats/native/pieces.h"
#include "parallel/process_group.h"
#include "stretches/cut_search.h"
#include "trace/rank_range.h"
#include "trace/trace.h"

namespace slackline {

/// Part of a run, as a trace of its own. It has no findings.
struct Stretch {
  Trace trace;
  RunPart part;
  Samples samples;
  std::vector<CallIndex> first_calls;  ///< by rank: number in the run of its first call here
};

/// A native trace that is read in stretches between collectives of all ranks, so that no more of it
/// than one stretch has to be in memory, and so that several processes can have some each.
class StretchedTrace {
 public:
  /// Reads all calls once, each process those of some ranks, to find where the run can be cut. All
  /// processes call it together. At least 5 M calls/s; 40 bytes a collective of all ranks of a rank
  /// while it is read, then 4.
  StretchedTrace(NativePieces pieces, ProcessGroup& group, ScanEnd end = ScanEnd::of_run);

  /// The trace without calls.
  const Trace& job() const { return pieces_.job(); }
  std::uint64_t calls() const { return pieces_.call_count(); }
  const std::vector<RankExtent>& extents() const { return search_.extents(); }
  /// As CallPaths::of_regions_or_functions() of the whole run, of a stretch, or of job().
  CallPaths paths_of(const Trace& trace) const;
  /// As those of marked regions of the whole run, of some of its ranks.
  CallPaths marked_paths_of(const Trace& ranks) const {
    return CallPaths(ranks, search_.regions());
  }
  /// Whether it is known of the process's own ranks that not all time between calls is computation:
  /// pauses, what recording took.
  bool has_time_off() const;
  /// Why the trace cannot be read in stretches; empty: it can.
  const std::string& obstacle() const { return search_.obstacle(); }

  /// Wherever it can be cut, in the order of the run. All processes call it together.
  std::vector<Cut> all_cuts(ProcessGroup& group) const { return search_.choose(calls(), group); }
  /// Cuts it into about this many stretches of equal numbers of calls, fewer where there are too
  /// few places. All processes call it together.
  void cut(std::uint64_t stretches, ProcessGroup& group);
  /// Cuts it in two at the last place where it can be. All processes call it together.
  void cut_at_last(ProcessGroup& group);
  std::size_t size() const { return cuts_.size() + 1; }
  /// How many calls the longest has.
  std::uint64_t longest() const;
  /// Nothing where the file is damaged. Ranks in threads; the blocks at either end are decoded for
  /// two stretches each.
  std::optional<Stretch> load(std::size_t number);

  /// Those whose calls this process has scanned.
  RankRange own_ranks() const { return own_; }
  /// All calls of some of the process's own ranks; the others have none. As load().
  std::optional<Trace> load_ranks(RankRange ranks) const;

 private:
  /// What is known of the time between a rank's calls.
  struct Details {
    RankCallsBuilder of_rank;
    std::vector<Sample> samples;
  };
  /// A rank's calls [from, to) of a stretch, and the gaps before calls that belong to it.
  struct Extent {
    std::uint64_t from;
    std::uint64_t to;
    std::uint64_t first_gap;
    std::uint64_t last_gap;
  };

  bool scan(std::int32_t rank, ScanEnd end, RankScan::Result& result);
  bool read_details();
  Extent extent(std::size_t number, std::size_t rank) const;
  std::vector<RegionEvent> open_regions(std::size_t number, std::size_t rank,
                                        std::int64_t time_ns) const;
  bool fill(std::size_t number, const RunPart& part, std::size_t rank, const Extent& of,
            RankCallsBuilder& out) const;
  /// The extents of all ranks. `number`: of the stretch that they are, if not all of the run.
  std::optional<Trace> read(std::size_t number, const RunPart& part,
                            std::span<const Extent> extents) const;

  NativePieces pieces_;
  RankRange own_;
  CutSearch search_;
  std::vector<Cut> cuts_;
  std::vector<std::optional<Details>> details_;  // by rank
};

}  // namespace slackline
