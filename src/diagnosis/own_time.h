#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "diagnosis/activity_sums.h"
#include "diagnosis/call_activities.h"
#include "diagnosis/wait_states.h"
#include "trace/trace.h"

namespace slackline {

/// What one rank did by itself, by activity: its time without waiting, summed between the calls
/// that somebody asks for, so that the sum over a long stretch is a short one.
class OwnTime {
 public:
  OwnTime() = default;
  /// `marks`: the calls from and to which it will be asked, ascending; `waits`: the rank's
  /// effective ones, in program order. Linear in the rank's calls; about 50 bytes a mark.
  OwnTime(const Trace& trace, const CallActivities& names, std::int32_t rank,
          std::vector<CallIndex> marks, std::vector<WaitState> waits);

  /// One of the rank's waits, as far as it lies in a stretch.
  struct Waited {
    std::size_t which;  ///< of `waits`
    std::int64_t ns;
  };

  /// Adds to `sums`, with `sign`, the time by activity from `since` (at the earliest in call
  /// `from`; -1: since before the first call) until mark `to` begins. The waits go to `waited`,
  /// unless null.
  void add(std::int64_t from, CallIndex to, std::int64_t since, std::int64_t sign,
           ActivitySums& sums, std::vector<Waited>* waited) const;

 private:
  struct Part {
    std::int64_t ns;
    ActivityId activity;
  };
  void add_call(CallIndex call, std::int64_t since, std::int64_t sign, ActivitySums& sums,
                std::vector<Waited>* waited) const;
  std::size_t mark(CallIndex call) const;
  void sum_up();

  const RankCalls* calls_ = nullptr;
  const CallActivities* names_ = nullptr;
  std::int32_t rank_ = 0;
  std::vector<CallIndex> marks_;
  std::vector<WaitState> waits_;
  std::vector<std::uint32_t> first_;  // of each mark: its own part; what comes after it follows
  std::vector<Part> parts_;
};

}  // namespace slackline
