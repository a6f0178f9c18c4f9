#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/phases/monitor.h"
#include "analysis/waits/delay_costs.h"
#include "analysis/waits/wait_states.h"
#include "calls/run_span.h"
#include "trace/trace.h"

namespace slackline {

/// A rank that causes much more wait time than its even share.
struct LateRank {
  std::int32_t rank = -1;
  double share = 0;  ///< of all wait time with a cause
  // The activity by which it causes most of that.
  Operation operation = Operation::none;
  PathId path = 0;
  bool late_start = false;
  double activity_share = 0;  ///< of all wait time with a cause
  /// Known where the rank stands out: nine tenths of the wait time that it causes lie in here,
  /// from the start of the run.
  TimeInterval when;
};

/// An activity that causes wait time, over all ranks.
struct CausingActivity {
  Operation operation = Operation::none;
  PathId path = 0;
  bool late_start = false;
  double share = 0;        ///< of all wait time with a cause
  std::int32_t rank = -1;  ///< that has most of it
  double rank_share = 0;   ///< of all wait time with a cause
};

/// Who and what causes the wait time: what every part of a report names.
struct RootCauses {
  std::vector<LateRank> ranks;              ///< that cause any, largest share first
  std::vector<CausingActivity> activities;  ///< largest share first
  std::size_t late_count = 0;               ///< the first ones of `ranks` that stand out
  double even_share = 1;                    ///< that each rank would have

  /// Those that stand out.
  std::span<const LateRank> late() const { return std::span(ranks).first(late_count); }
};

/// `delays` of the states of `waits`; `present` ranks have calls. O(waits log waits).
RootCauses root_causes(const Trace& trace, const WaitStates& waits, const DelayCosts& delays,
                       std::size_t present);

/// Fills in which rank causes most of the wait time of each interval. O(waits log intervals).
void add_late_ranks(const Trace& trace, const WaitStates& waits, const DelayCosts& delays,
                    Monitor& monitor);

}  // namespace slackline
