#pragma once

#include <cstdint>

#include "analysis/paths/activities.h"
#include "analysis/summary/polled_gaps.h"
#include "calls/run_span.h"

namespace slackline {

/// What a rank does outside of MPI before a call, ns.
struct GapTime {
  std::int64_t computing = 0;
  std::int64_t blocked = 0;
  std::int64_t no_processor = 0;
  std::int64_t late_start = 0;

  /// What it does of its own accord.
  std::int64_t busy() const { return computing + blocked; }
};

/// That of a run within an interval, in the trace's own time; nothing for gaps in which ranks only
/// pass the time between polls. Keeps references.
class GapTimes {
 public:
  GapTimes(const Activities& run, const TimeInterval& interval, const PolledGaps& polled)
      : run_(run), interval_(interval), polled_(polled) {}

  const Activities& run() const { return run_; }
  const TimeInterval& interval() const { return interval_; }
  bool is_polled(std::int32_t rank, CallIndex call) const { return polled_.contains(rank, call); }
  /// O(log pauses of the rank + pauses before the call).
  GapTime of(std::int32_t rank, CallIndex call) const;

 private:
  const Activities& run_;
  TimeInterval interval_;
  const PolledGaps& polled_;
};

}  // namespace slackline
