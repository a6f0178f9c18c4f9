#pragma once

#include <cstddef>
#include <filesystem>

#include "formats/native/block.h"
#include "parallel/process_group.h"
#include "trace/rank_range.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// As write_native(), by several processes, each of which has the calls and samples of the ranks
/// `own` of the trace only, and compresses these. Every rank is one process's, and the lowest ranks
/// the first one's, which says all else of the trace. All processes call it together; they write
/// into one file, which must be theirs under one name. Memory of what a process has compressed.
/// Throws Error where one of them cannot write it; then nothing half-written stays. A block has
/// `block_calls` calls at most: who reads a part of a rank's calls decompresses whole blocks.
void write_native_together(const Trace& trace, const Samples& samples, RankRange own,
                           const std::filesystem::path& path, ProcessGroup& group,
                           std::size_t block_calls = native::kBlockCalls);

}  // namespace slackline
