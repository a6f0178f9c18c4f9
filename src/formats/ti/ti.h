#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/findings.h"
#include "trace/trace.h"

namespace slackline {

/// Computation of a time-independent trace becomes time at this speed: a flop is a nanosecond, so
/// that whole numbers of flops stay exact. TraceInfo::flops_per_second says so.
inline constexpr double kTiFlopsPerSecond = 1e9;
/// The largest number of elements: the replay has doubles, which are whole numbers up to here.
inline constexpr std::int64_t kTiMostElements = std::int64_t{1} << 53;

/// Names of the regions that stand for actions which are no MPI call. What lies inside of
/// kTiCompute and kTiReduction is computation (flops), inside of kTiSleep a time.
inline constexpr std::string_view kTiCompute = "compute";
inline constexpr std::string_view kTiSleep = "sleep";
inline constexpr std::string_view kTiReduction = "reduction";

/// Whether the actions of some ranks may be read as a program of their own, or the files have to
/// hold all ranks that messages name.
enum class TiRanks : std::uint8_t { as_given, all };

/// Reads a SimGrid time-independent trace: the actions of all ranks in one file, a file that lists
/// one or several of them, as SMPI's replay takes it or as SimGrid's deployment (XML), or a folder
/// of them. Files may be compressed (`bytes` are not). doc/formats/ti.md.
///
/// The Trace is untimed. A line that makes no sense costs itself and is told in the findings.
/// Throws Error when a listed file is missing or cannot be opened, and for TiRanks::all when there
/// are no actions of some rank. Memory: the trace, and the content of compressed files.
Trace read_ti(const std::filesystem::path& path, std::span<const std::byte> bytes,
              TiRanks ranks = TiRanks::as_given);

/// The bytes begin with a replay action, or with the name of a file that does; or `path` is a
/// folder of such files, or with a list of them among others.
bool looks_like_ti(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// The first file that a text names as a list of action files does, if it is not there; empty for
/// any other text.
std::optional<std::string> missing_listed_file(const std::filesystem::path& path,
                                               std::span<const std::byte> bytes);

/// Writes `trace` as one time-independent trace of SimGrid: every rank's actions, rank after rank.
/// Computation becomes flops at kTiFlopsPerSecond. Returns what the
/// format cannot hold (doc/formats/ti.md). Linear; memory: the requests under way.
Findings write_ti(const Trace& trace, const std::filesystem::path& path);

}  // namespace slackline
