#pragma once

#include <filesystem>
#include <optional>

#include "base/findings.h"
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

/// Writes `trace` as an OTF2 archive: the file `anchor` (run.otf2), run.def beside it, and the
/// folder run/. read_otf2() of it gives the same calls, communicators and regions; what it cannot
/// hold (doc/formats/otf2.md) is returned as Findings. Throws Error when it cannot be written.
/// Appears piece by piece: give it a place in OutputFiles (base/output_files.h).
Findings write_otf2(const Trace& trace, const std::filesystem::path& anchor);

}  // namespace slackline
