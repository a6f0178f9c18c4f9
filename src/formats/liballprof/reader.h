#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "trace/trace.h"

namespace slackline {

/// Is it a rank's file as liballprof writes them, or a folder that holds such files?
bool looks_like_liballprof(const std::filesystem::path& path, bool is_directory,
                           std::span<const std::byte> bytes);

/// Reads the recording of liballprof (one text file a rank) that lies in the folder `path`, or that
/// the file `path` belongs to: files whose names differ in their last number only. Clocks are
/// corrected by the offsets in the files' headers, linearly between MPI_Init and MPI_Finalize. See
/// doc/formats/liballprof.md. Bad lines become Findings; throws Error when there are no files or
/// their ranks make no sense. Linear; ranks in parallel.
Trace read_liballprof(const std::filesystem::path& path);

}  // namespace slackline
