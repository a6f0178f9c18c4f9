#pragma once

#include "sim/engine/context_scheduler.h"
#include "trace/trace.h"

namespace slackline::sim {

class LiveCalls;

/// Throws the Error for a program in which no context can go on: which ranks wait in which call of
/// which call path for what, and since when, a line for each. `live`: where the calls come from if
/// not from the trace; else null.
[[noreturn]] void throw_deadlock(const Trace& trace, const ContextScheduler& contexts,
                                 const Matching& matching, const LiveCalls* live);

}  // namespace slackline::sim
