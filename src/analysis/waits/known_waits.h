#pragma once

#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// Whether the wait states say all that a call waited for others. Not so of operations without a
/// pattern (one-sided epochs, processes of other jobs), and of calls whose partners are not in the
/// trace: their time may be waiting. O(what the call completes).
bool waiting_is_known(const Trace& trace, const CallMatching& matching, std::int32_t rank,
                      CallIndex call);

}  // namespace slackline
