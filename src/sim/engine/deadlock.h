#pragma once

#include <cstdint>
#include <string_view>

#include "sim/engine/context_scheduler.h"
#include "trace/trace.h"

namespace slackline::sim {

/// Throws the Error for a program in which no context can go on: which ranks wait for what, and
/// since when. `advice`: sentences on what else may be the reason.
[[noreturn]] void throw_deadlock(const Trace& trace, const ContextScheduler& contexts,
                                 const Matching& matching, std::string_view advice);

}  // namespace slackline::sim
