#pragma once

#include <filesystem>

#include "base/findings.h"
#include "trace/trace.h"

namespace slackline {

/// Writes `trace` as an OTF2 archive: the file `anchor` (run.otf2), run.def beside it, and the
/// folder run/. read_otf2() of it gives the same calls, communicators and regions; what it cannot
/// hold (doc/formats/otf2.md) is returned as Findings. Throws Error when it cannot be written.
/// Appears piece by piece: give it a place in OutputFiles (base/output_files.h).
Findings write_otf2(const Trace& trace, const std::filesystem::path& anchor);

}  // namespace slackline
