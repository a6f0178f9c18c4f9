#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "trace/trace.h"

namespace slackline {

/// Is it a rank's file of DUMPI, binary or as dumpi2ascii prints it, its .meta file, or a folder
/// with the files of one run?
bool looks_like_dumpi(const std::filesystem::path& path, bool is_directory,
                      std::span<const std::byte> bytes);

/// Reads the run whose files lie in the folder `path`, or which the file `path` belongs to: files
/// whose names differ in their last number only, which is the rank. Either form, also compressed.
/// See doc/formats/dumpi.md. Bad records become Findings; throws Error when there are no files, or
/// their ranks make no sense. Linear; ranks in parallel.
Trace read_dumpi(const std::filesystem::path& path);

}  // namespace slackline
