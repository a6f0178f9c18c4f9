#pragma once

#include <cstdint>
#include <vector>

#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// Waiting for a lock that a program makes of MPI_Compare_and_swap: a rank swaps at the same target
/// again and again, with nothing but flushes between, until another rank has changed it.
struct SpinWait {
  CallIndex first = kNoCall;  ///< calls [first, bound) found it locked
  CallIndex bound = kNoCall;  ///< the call in which the change came, or the next one
  std::int32_t source = -1;   ///< the rank that changed it
  CallIndex source_call = kNoCall;
};

/// By rank, in program order; empty where there are none. Only changes by ranks that swap at the
/// target as well count, and waits without one are left out. Where at a target words lie is not
/// recorded: all of one target are one. Linear in calls, where there is any MPI_Compare_and_swap at
/// all, times the logarithm of the spins.
std::vector<std::vector<SpinWait>> spin_waits(const Trace& trace);

}  // namespace slackline
