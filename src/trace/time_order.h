#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace_builder.h"

namespace slackline {

/// Whether a rank's calls are in that order, block by block: no call of a thread begins before the
/// one before it has ended, or ends before it begins.
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

}  // namespace slackline
