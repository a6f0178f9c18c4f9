#pragma once

#include <cstdint>
#include <span>

#include "formats/raw/rank_files.h"
#include "trace/trace_builder.h"

namespace slackline::raw {

/// What a rank's calls say of that.
struct ProcessorUse {
  std::uint64_t threads;  ///< those of OpenMP's largest team included
  std::int64_t computation_ns;
  std::int64_t off_processor_ns;
};
ProcessorUse processor_use(const RankCalls& calls);

/// Puts in front of the trace's Findings what the recording says of the processors that its ranks
/// had: more ranks than processors on a host, and how long computation was off them.
void note_processors(std::span<const RankFiles> ranks, std::span<const ProcessorUse> uses,
                     TraceBuilder& trace);

}  // namespace slackline::raw
