#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/findings.h"
#include "cli/record/launcher.h"

namespace slackline {

struct RecordOptions {
  std::vector<std::string> command;  ///< the launcher, its options, the program
  /// A folder, or a file when it ends in ".slk". Empty: slackline-trace, or slackline-trace.2 and
  /// so on if that is there.
  std::filesystem::path output{};
  std::string mpi{};      ///< "openmpi", "mpich"; empty: found out
  bool yield = false;     ///< preload the library that lets oversubscribed MPICH ranks yield
  bool keep_raw = false;  ///< leave the recorder's own files beside the trace
};

/// Where a recording's files are.
struct RecordPlaces {
  std::filesystem::path trace;      ///< the native trace
  std::filesystem::path directory;  ///< what the ranks get as SLACKLINE_DIR; its raw/ is theirs
};

/// A finished recording.
struct RecordedTrace {
  std::filesystem::path trace;
  std::int32_t ranks = 0;
  std::uint64_t calls = 0;
  std::uint64_t trace_bytes = 0;
  std::uint64_t raw_bytes = 0;
  std::int64_t recording_ns = 0;  ///< calls times measured cost of one
  std::int64_t cpu_ns = 0;        ///< of all ranks; 0 unknown
  Findings findings;
};

struct RecordResult {
  int exit_status = 0;                    ///< the job's
  std::optional<RecordedTrace> recorded;  ///< nothing when no rank recorded anything
  std::filesystem::path raw;              ///< where raw files were kept; empty: nowhere
  std::string conversion_problem{};       ///< why the raw files were kept, if so
};

/// Runs the job with the recorder in its ranks and turns what it leaves into one native trace. The
/// job's own failure is not an error here: its exit status is in the result. Throws Error when the
/// job cannot be started or the output folder cannot be written.
RecordResult record(const RecordOptions& options);

/// Converts the raw files that a job started by `slackline preload` has left in `directory`.
/// Throws Error when there are none.
RecordResult finish_recording(const std::filesystem::path& directory, bool keep_raw);

struct PreloadOptions {
  std::filesystem::path output = "slackline-trace";
  bool yield = false;
};

/// What must be in the environment of the ranks so that they record into `output`.
Environment preload_environment(const PreloadOptions& options);

/// The same as commands of a POSIX shell, one a line.
std::string preload_script(const PreloadOptions& options);

/// Becomes `command` with that environment: `mpirun -n 4 slackline preload -- ./app`.
[[noreturn]] void exec_preloaded(const PreloadOptions& options,
                                 const std::vector<std::string>& command);

}  // namespace slackline
