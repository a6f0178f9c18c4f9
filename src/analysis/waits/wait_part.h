#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "analysis/waits/wait_sums.h"
#include "analysis/waits/waits_in_code.h"
#include "calls/call_matching.h"
#include "calls/causal_order.h"
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

/// Wait times of a part of a run; those of all parts add up to the run's (TableSum).
struct WaitPart {
  WaitSums sums{};
  WaitsByCode by_code{};  ///< by functions where call paths were recorded
  /// As in WaitStates; of this part only. If any is not 0, the part cannot stand for its share of
  /// the run.
  std::uint64_t clipped = 0;
  std::int64_t clipped_ns = 0;
  std::uint64_t released = 0;

  auto tables() { return std::tuple_cat(sums.tables(), by_code.tables()); }
  void add_up() {
    sums.add_up();
    by_code.add_up();
  }
};

/// `trace`: the part; `names`: of it; `interval`: what is analysed, or nothing for the whole run,
/// MPI_Init and MPI_Finalize included.
WaitPart wait_part(const Trace& trace, const CallMatching& matching, const CausalOrder& order,
                   const WaitNames& names, const WaitOptions& options,
                   const std::optional<TimeInterval>& interval, const PlaceInRun& place);

}  // namespace slackline
