#pragma once

#include <filesystem>
#include <functional>
#include <span>

#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// Writes `trace` in the native format (doc/formats/native.md); read_native() of it gives the same
/// trace, facts and findings included. Blocks are compressed in parallel. Throws Error when the
/// file cannot be written; nothing half-written stays behind. A new file is for its owner only: it
/// holds names of hosts and the program's arguments.
void write_native(const Trace& trace, const std::filesystem::path& path,
                  const Samples& samples = {});

/// The same, handing successive pieces of the file to `sink`.
void write_native(const Trace& trace, const std::function<void(std::span<const std::byte>)>& sink,
                  const Samples& samples = {});

}  // namespace slackline
