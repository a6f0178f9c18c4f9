#pragma once

#include <span>

#include "formats/raw/rank_reader.h"
#include "trace/trace_builder.h"

namespace slackline::raw {

/// Puts in front of the trace's Findings what the recording says of the processors that its ranks
/// had: more ranks than processors on a host, and how long computation was off them.
void note_processors(std::span<const RankFiles> ranks, TraceBuilder& trace);

}  // namespace slackline::raw
