#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/findings.h"
#include "jobs/record/job_report.h"
#include "jobs/record/jobs.h"
#include "jobs/record/launcher.h"
#include "parallel/process_group.h"

namespace slackline {

/// How much is recorded of where the program calls MPI, and of where it computes.
struct CallPathChoice {
  std::string mode = "full";  ///< "none"; "site": the calling function only; "full"
  int depth = 64;             ///< frames of a full path, from MPI outwards; 1 to 256
  int sample_hz = 0;          ///< samples of computation per second of CPU time; 0: none
  /// Counters of computation: "none"; "software": the system's; "hardware": the processor's, too.
  std::string counters = "software";
  std::string size_limit{};  ///< of each thread's recording, as "256MiB"; empty: none
};

/// Samples a second of "200Hz" or "200", 1 to 10,000; of "off" 0; of an empty text the default, 0
/// unless call paths are recorded in full. Throws usage Error.
int parse_sample_rate(const std::string& text, const std::string& call_paths);

struct RecordOptions {
  std::vector<std::string> command;  ///< the launcher, its options, the program
  /// A folder, or a file when it ends in ".slk". Empty: slackline-trace, or slackline-trace.2 and
  /// so on if that is there.
  std::filesystem::path output{};
  std::string mpi{};  ///< "openmpi", "mpich"; empty: found out
  CallPathChoice call_paths{};
  JobAnalysisChoice analysis{};  ///< if wanted, `output` may be a report's file
  bool write_trace = true;       ///< false, of an analysed job: its report is all that is left
  bool yield = false;            ///< preload the library that lets oversubscribed MPICH ranks yield
  bool keep_raw = false;         ///< leave the recorder's own files beside the trace
  bool force = false;            ///< replace the traces of an earlier recording
  ChildContext job{};            ///< for the command, beside what recording needs
};

/// Where a recording's files are.
struct RecordPlaces {
  std::filesystem::path trace;      ///< the native trace
  std::filesystem::path directory;  ///< what the ranks get as SLACKLINE_DIR; its raw/ is theirs
  std::filesystem::path report{};   ///< of the analysis in the job
};

/// A finished recording of one job.
struct RecordedTrace {
  std::filesystem::path trace;
  bool spawned = false;  ///< MPI_Comm_spawn of another job started it
  std::int32_t ranks = 0;
  std::uint64_t calls = 0;
  std::uint64_t trace_bytes = 0;
  std::uint64_t raw_bytes = 0;
  std::int64_t recording_ns = 0;  ///< calls times measured cost of one
  std::int64_t cpu_ns = 0;        ///< of all ranks; 0 unknown
  std::uint64_t lost_calls = 0;   ///< not recorded, as they could not be written
  bool separate = false;  ///< a single rank, which the launcher started together with others
  double conversion_seconds = 0;  ///< from the raw files to the trace, after the job's end
  Findings findings;
};

/// A job whose raw files could not be made a trace, and were kept.
struct UnconvertedJob {
  std::filesystem::path raw;
  std::string reason;
};

struct RecordResult {
  int exit_status = 0;  ///< the command's
  std::filesystem::path directory{};
  std::vector<RecordedTrace>
      traces{};  ///< one for each job of the command, in order of their start
  std::vector<UnconvertedJob> unconverted{};
  std::vector<AnalysedJob> analysed{};  ///< one for each job of an analysed command
  RecordingFailures failures{};         ///< of ranks that were not recorded
};

/// Runs the command with the recorder in the ranks of its jobs, of which there is mostly one, and
/// turns what each leaves into a native trace. The command's own failure is not an error here: its
/// exit status is in the result. Throws Error when the command cannot be started, the output folder
/// cannot be written, or it holds a trace and `force` is not set.
RecordResult record(const RecordOptions& options);

struct FinishOptions {
  std::filesystem::path directory;
  std::filesystem::path output{};  ///< as RecordOptions::output; empty: into `directory`
  bool keep_raw = false;
  bool force = false;
};

/// Converts the raw files that jobs started by `slackline preload` have left in a directory.
/// Several processes may call it together, and share the ranks; only the first one's result has all
/// Findings. Throws Error when there are none, or a trace is at the output and `force` is not set.
RecordResult finish_recording(const FinishOptions& options, ProcessGroup& group);

struct PreloadOptions {
  std::filesystem::path output = "slackline-trace";
  CallPathChoice call_paths{};
  bool yield = false;
};

/// What must be in the environment of the ranks so that they record into `output`.
Environment preload_environment(const PreloadOptions& options);

/// Shells that read preload_script().
enum class ShellKind : std::uint8_t { posix, csh };

/// The same as commands of a shell, one a line.
std::string preload_script(const PreloadOptions& options, ShellKind shell);

/// Becomes `command` with that environment: `mpirun -n 4 slackline preload -- ./app`.
[[noreturn]] void exec_preloaded(const PreloadOptions& options,
                                 const std::vector<std::string>& command);

}  // namespace slackline
