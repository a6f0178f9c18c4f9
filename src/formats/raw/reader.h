#pragma once

#include <filesystem>

#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// Reads what the recorder left: a folder with one file per rank and thread (or the folder above
/// it, whose `raw/` it is). doc/formats/raw.md.
///
/// Whatever is missing or damaged costs only itself and is told in the findings: ranks without a
/// file, files that end in the middle of a record, records that make no sense. Throws Error only
/// if nothing at all can be read. Memory: the trace and 8 bytes a record.
/// `samples`, if given, gets those that were recorded.
Trace read_raw(const std::filesystem::path& directory, Samples* samples = nullptr);

/// The folder holds raw files, or has a `raw/` that does.
bool looks_like_raw(const std::filesystem::path& path);

}  // namespace slackline
