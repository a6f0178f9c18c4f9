#pragma once

#include <filesystem>

#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// Reads the native trace `path` back and compares it with `trace` and `samples`, from which it was
/// written.
/// Throws Error when they differ. Takes the memory of `trace` once more.
void check_written(const Trace& trace, const std::filesystem::path& path,
                   const Samples& samples = {});

}  // namespace slackline
