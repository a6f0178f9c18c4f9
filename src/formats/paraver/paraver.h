#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>

#include "base/findings.h"
#include "calls/call_matching.h"
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

/// Writes `trace` as a Paraver trace: `path` (x.prv), and beside it x.pcf, x.row and two ready
/// Paraver configurations (x.mpi_calls.cfg, x.useful_duration.cfg). Reading it back gives the same
/// calls, less what the format cannot hold; that is returned as Findings, and listed in
/// doc/formats/paraver.md. Linear, but for a merge of as many streams as there are threads.
Findings write_paraver(const Trace& trace, const CallMatching& matching,
                       const std::filesystem::path& path);

}  // namespace slackline
