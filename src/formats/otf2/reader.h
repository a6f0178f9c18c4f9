#pragma once

#include <filesystem>
#include <optional>

#include "trace/trace.h"
#include "trace/trace_extras.h"

namespace slackline {

/// The anchor file of an OTF2 archive: `path` itself when it is one (by its extension and first
/// bytes), or the only one in the folder `path`.
std::optional<std::filesystem::path> find_otf2_anchor(const std::filesystem::path& path);

/// The files of the archive with that anchor file: itself, the definitions beside it, and the
/// folder of its name.
std::vector<std::filesystem::path> otf2_files(const std::filesystem::path& anchor);

/// Reads an archive, ranks in parallel. Throws Error when it cannot be opened or has no ranks;
/// what is wrong inside becomes Findings. About 60 bytes a call beside the library's buffers, and 4
/// more where `sends` is given and filled.
Trace read_otf2(const std::filesystem::path& anchor, SendRecords* sends = nullptr);

}  // namespace slackline
