#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>

#include "trace/trace.h"

namespace slackline {

/// Does the file begin as a Paraver trace, plain or compressed by gzip?
bool looks_like_paraver(std::span<const std::byte> bytes);

/// Reads a .prv or .prv.gz, with the .pcf and .row files beside `path` if they are there. Every
/// task of every application is a rank. What the format does not say and how it is made up for
/// stands in doc/formats/paraver.md. Bad records become Findings; throws Error "file:line: ..."
/// when the header cannot be read. Linear in the size of the file; memory beside the Trace's own is
/// bounded by the number of messages under way.
/// `release` is told now and then which part of `bytes` has been read for good.
Trace read_paraver(std::span<const std::byte> bytes, const std::filesystem::path& path,
                   const std::function<void(std::span<const std::byte>)>& release = {});

}  // namespace slackline
