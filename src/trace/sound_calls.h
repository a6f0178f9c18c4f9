#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/samples.h"
#include "trace/trace.h"
#include "trace/trace_builder.h"

namespace slackline {

/// Whether a rank's calls are in order of time, block by block: no call of a thread begins before
/// the one before it has ended, or ends before it begins.
class TimeOrder {
 public:
  /// The next calls of the rank. False where they are not.
  bool add(const RankCalls& calls);

 private:
  std::vector<std::int64_t> ends_ns_;  // by thread, of its last call
};

/// Sees to what every analysis takes for granted of times: no rank has calls from before its start,
/// and a thread's call neither begins before the one before it has ended nor ends before it begins.
/// Where a trace says otherwise, starts and ends give way, and Findings tell. Of untimed traces
/// only starts are looked at. Linear, ranks in threads.
void mend_time_order(TraceBuilder& trace);

/// Throws Error where ranks start and end further apart than kTimeLimit_ns: differences and sums of
/// such times are beyond what analyses and other formats can hold.
void check_time_span(const Trace& trace);

/// Whether a rank's calls, block by block, are such that mend_time_order() and limit_nesting()
/// would leave them as they are: for readers that never have the whole trace.
class SoundCalls {
 public:
  SoundCalls(const Trace& job, std::int32_t rank)
      : timed_(job.timed()), start_ns_(job.calls(rank).start_ns()) {}

  /// The next calls, with their region events. False from the first block on that is not so.
  bool add(const RankCalls& calls);

 private:
  const bool timed_;
  const std::int64_t start_ns_;
  TimeOrder order_;
  std::size_t open_regions_ = 0;
  bool sound_ = true;
};

/// Whether no call path is deeper than limit_nesting() allows. O(frames).
bool keeps_nesting_limit(const CallTree& tree);

/// Each call path has a name, so what they take grows by the square of the depth.
inline constexpr std::size_t kDeepestNesting = 256;

/// Drops the events of regions inside kDeepestNesting others, and the frames of functions called
/// inside as many others; what they contain then belongs to the innermost of those. Counts them in
/// the Findings. Linear in events and calls.
void limit_nesting(TraceBuilder& trace, Samples& samples);

}  // namespace slackline
