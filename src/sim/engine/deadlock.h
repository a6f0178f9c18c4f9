#pragma once

#include <cstdint>

#include "sim/engine/context_scheduler.h"
#include "trace/trace.h"

namespace slackline::sim {

/// Throws the Error for a program in which no context can go on: which ranks wait for what, and
/// since when.
[[noreturn]] void throw_deadlock(const Trace& trace, const ContextScheduler& contexts,
                                 const Matching& matching);

}  // namespace slackline::sim
