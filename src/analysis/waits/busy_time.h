#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/paths/activity_sums.h"
#include "analysis/paths/call_activities.h"
#include "analysis/waits/wait_states.h"
#include "calls/call_set.h"
#include "trace/trace.h"

namespace slackline {

/// Busy-time sums of one rank: its time without waiting, by activity, summed up between the calls
/// that are asked for, so that the sum over a long interval has few terms.
class BusyTimeSums {
 public:
  BusyTimeSums() = default;
  /// `marks`: the calls from and to which it will be asked, numbered; `waits`: the rank's effective
  /// ones, in program order. Keeps references. Linear in the rank's calls; about 50 bytes a mark.
  /// `scratch`: of any contents, for one rank after the other.
  BusyTimeSums(const Trace& trace, const CallActivities& names, std::int32_t rank,
               const CallSet& marks, std::vector<WaitState> waits, ActivitySums& scratch);

  /// One of the rank's waits, as far as it lies in an interval.
  struct Waited {
    std::size_t which;  ///< of `waits`
    std::int64_t ns;
  };

  /// Adds to `sums`, with `sign`, the time by activity from `since` (at the earliest in the
  /// computation before call `from`; -1: since before the first call) until mark `to` begins. The
  /// waits go to `waited`, unless null. O(marks between).
  void add(std::int64_t from, CallIndex to, std::int64_t since, std::int64_t sign,
           ActivitySums& sums, std::vector<Waited>* waited) const;

 private:
  struct Part {
    std::int64_t ns;
    ActivityId activity;
  };
  struct Mark {
    std::uint32_t part;  // its own one; what comes after it follows
    std::uint32_t wait;  // the first one in it or later
  };
  void add_gap(CallIndex call, std::int64_t since, std::int64_t sign, ActivitySums& sums) const;
  void add_call(CallIndex call, std::size_t wait, std::int64_t since, std::int64_t sign,
                ActivitySums& sums, std::vector<Waited>* waited) const;
  const Mark& mark(CallIndex call) const {
    return of_mark_[marks_->number_of(rank_, call) - marks_->first_of(rank_)];
  }
  void sum_up(ActivitySums& sums);

  const RankCalls* calls_ = nullptr;
  const CallActivities* names_ = nullptr;
  std::int32_t rank_ = 0;
  const CallSet* marks_ = nullptr;
  std::vector<WaitState> waits_;
  std::vector<Mark> of_mark_;
  std::vector<Part> parts_;
};

}  // namespace slackline
