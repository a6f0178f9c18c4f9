#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "parallel/process_group.h"
#include "trace/rank_range.h"
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

/// What one of several processes has read.
struct RawPart {
  Trace trace;      ///< with the calls of the ranks `own` only
  Samples samples;  ///< of these
  RankRange own;
};
/// The same by several processes together: each reads the calls of a block of ranks, about equally
/// many bytes. All else of the trace is the same in all, but for the Findings, all of which only
/// the first one has. Throws Error in all where they see different files.
RawPart read_raw(const std::filesystem::path& directory, ProcessGroup& group);

/// The folder holds raw files, or has a `raw/` that does.
bool looks_like_raw(const std::filesystem::path& path);
/// Where a recording may be merged, for a while: a file beside its own that goes with them.
std::filesystem::path merged_file(const std::filesystem::path& recording, std::int64_t process);
inline constexpr std::string_view kMergedSuffix = ".merged";
/// A file beside the raw ones that says when the job ended, in ns since 1970, if that is known.
inline constexpr std::string_view kJobEndName = "job-end";

}  // namespace slackline
