#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/waits/wait_sums.h"
#include "analysis/waits/waits_in_code.h"
#include "base/keyed_rows.h"
#include "calls/call_matching.h"
#include "calls/computation_code.h"
#include "calls/run_part.h"
#include "calls/run_span.h"
#include "trace/trace.h"

namespace slackline {

/// The activities of a part of a run: by marked regions or else by functions, for places, and by
/// functions where call paths were recorded, for lines. Regions that the program has marked say
/// less about the code.
class WaitNames {
 public:
  /// Keeps references. O(calls).
  WaitNames(const Trace& trace, const CallPaths& paths);

  const CallActivities& of_places() const { return of_places_; }
  const CallActivities& of_code() const { return of_code_ ? *of_code_ : of_places_; }
  bool are_the_same() const { return !of_code_.has_value(); }

 private:
  CallActivities of_places_;
  std::optional<CallPaths> functions_;
  std::optional<CallActivities> of_code_;
};

/// Where a part of a run is in it.
struct PlaceInRun {
  RunPart part{};
  std::span<const CallIndex> first_calls{};  ///< as WaitSums; empty: it is the whole run
  RunSpan span;                              ///< of the run
};

/// The waiting in a part of a run: added up over the parts, what is known of the whole run.
class WaitPart {
 public:
  WaitSums sums{};
  WaitsByCode by_code{};  ///< by functions where call paths were recorded
  /// Messages received before they were sent, by that much in sum, as of WaitStates. A part in
  /// which there are any, or calls that were released, tells nothing of the run.
  std::uint64_t clipped = 0;
  std::int64_t clipped_ns = 0;
  std::uint64_t released = 0;

  /// Another part of the run. To be followed by add_up() in the end.
  void append(const WaitPart& other);
  template <class Visit>
  void for_each_table(Visit visit) {
    sums.for_each_table(visit);
    by_code.for_each_table(visit);
  }
  void add_up();

 private:
  std::size_t rows();
  RowGrowth growth_{};
};

/// `trace`: the part; `names`: of it; `interval`: what is analysed, or nothing for the whole run,
/// MPI_Init and MPI_Finalize included.
WaitPart wait_part(const Trace& trace, const CallMatching& matching, const WaitNames& names,
                   const WaitOptions& options, const std::optional<TimeInterval>& interval,
                   const PlaceInRun& place);

}  // namespace slackline
