#pragma once

#include "online/shared_memory.h"
#include "trace/trace_builder.h"

namespace slackline::online {

/// Gives the calls of `trace` their call paths. Until then their frames are numbers of paths, whose
/// records the processes have left in memory, or 0.
void name_call_paths(SharedMemory& memory, TraceBuilder& trace);

}  // namespace slackline::online
