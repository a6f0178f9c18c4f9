#pragma once

#include <span>
#include <vector>

#include "formats/raw/call_frames.h"
#include "formats/raw/rank_files.h"
#include "parallel/process_group.h"
#include "trace/rank_range.h"
#include "trace/trace_builder.h"

namespace slackline::raw {

/// read_call_frames() of ranks that several processes have read, each those of one block. The first
/// process looks into the modules' files and has the Findings. All get the call tree, and each the
/// frames of its ranks. All processes call it together.
std::vector<CallFrames> share_call_frames(const std::vector<RankFiles>& ranks,
                                          std::span<const RankRange> blocks, TraceBuilder& trace,
                                          ProcessGroup& group);

}  // namespace slackline::raw
