#pragma once

#include <filesystem>

#include "formats/raw/reader.h"
#include "trace/trace.h"

namespace slackline {

/// Reads the native trace `path` back and compares it with what was written, from which the ranks
/// `read.own` came. Throws Error when they differ. Takes the memory of `read` once more.
void check_written(const RawPart& read, const std::filesystem::path& path);

}  // namespace slackline
