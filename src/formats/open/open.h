#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "calls/call_matching.h"
#include "calls/clock_correction.h"
#include "trace/goal/program.h"
#include "trace/samples.h"
#include "trace/trace.h"
#include "trace/trace_extras.h"
#include "training/training_run.h"

namespace slackline {

/// A trace, and which input it came from.
struct OpenedTrace {
  Trace trace;
  std::string format;       ///< name of the reader: "native", "text", "raw"
  std::string path;         ///< as it was given
  std::uint64_t bytes = 0;  ///< size of the input on disk
  std::string checksum;     ///< XXH3-64 of the input, 16 hexadecimal digits
  std::uint64_t calls = 0;  ///< in the input; of GOAL its operations
  SendRecords sends{};
  Samples samples{};
  /// The matching of the trace's calls, once it was asked for (OpenOptions::keep_matching,
  /// matching_of). It holds for all times that the trace may be given.
  std::shared_ptr<const CallMatching> matching{};
  /// What was done to its times (OpenOptions::clocks).
  ClockCorrection clocks{};
};

/// Matches the calls of an opened trace, unless that has been done.
const CallMatching& matching_of(OpenedTrace& opened);

/// A GOAL program as it is, for whoever can do more with it than with its linearisation.
struct OpenedGoal {
  GoalProgram program;
  std::string path;
  std::uint64_t bytes = 0;
  std::string checksum;
};

/// What a reader may look at to tell whether an input is its own.
struct TraceInput {
  std::filesystem::path path;
  bool is_directory = false;
  /// All content of a file; nothing of a directory.
  std::span<const std::byte> bytes{};
  /// May be told what part of `bytes` has been read for good.
  std::function<void(std::span<const std::byte>)> release{};
  /// Readers may put there what they know beside the trace.
  SendRecords* sends = nullptr;
  Samples* samples = nullptr;
  std::span<const std::byte> stored{};  ///< a compressed file itself; `bytes` is its content
  bool from_folder = false;             ///< found in a folder, which was named
  std::function<void(std::uint64_t)> calls_known{};  ///< of OpenOptions, or nothing
};

/// One format. The table of them is trace_readers(); a new format is a line there.
struct TraceReader {
  std::string_view name;
  std::string_view description;  ///< for messages: "a native trace (.slk)"
  bool (*probe)(const TraceInput&);
  Trace (*read)(const TraceInput&);
  /// The files that it consists of, where these are not the one that is named, or all of a folder.
  std::vector<std::filesystem::path> (*files)(const std::filesystem::path&) = nullptr;
  bool decompresses = false;  ///< takes a compressed file as it is, to decompress it in pieces
};

std::span<const TraceReader> trace_readers();

struct OpenOptions {
  ClockPolicy clocks = ClockPolicy::as_read;  ///< whether to correct them
  bool keep_matching = false;  ///< for who goes on to look at messages and collectives
  /// Told the number of calls before they are read, or behind it where the format does not say it.
  /// What it throws ends the reading.
  std::function<void(std::uint64_t)> calls_known{};
};

/// Opens a trace file of any known format, or a folder: one made by `slackline record` (its
/// trace.slk, else its raw files), one that is a trace as a whole, or one with a single trace in
/// it. Files may be compressed by gzip, zstd or xz. Receives that end before their send began are
/// counted in the Findings. Throws Error when there is nothing at `path`, nothing that a reader
/// knows, or a folder with several traces.
OpenedTrace open_trace(const std::filesystem::path& path, const OpenOptions& options = {});

/// The file that open_trace() would read as a native trace; empty if it is something else, or
/// missing.
std::optional<std::filesystem::path> native_file_of(const std::filesystem::path& path);
/// Tells files of different content apart without reading all of them: by size, begin and end,
/// where the native format has its index.
std::uint64_t fingerprint(const std::filesystem::path& file);
/// What OpenedTrace::checksum says of a file.
std::string checksum_of(const MappedFile& file);

/// Opens a GOAL file; empty when `path` is something else. Throws Error when it is not there or
/// cannot be read.
std::optional<OpenedGoal> open_goal(const std::filesystem::path& path);

/// The Error for a profile of a training run where calls of MPI are asked for.
Error profile_without_calls(const std::filesystem::path& path);

/// Profiles of a training run.
struct OpenedTraining {
  TrainingRun run;
  std::string path;         ///< as it was given
  std::uint64_t bytes = 0;  ///< of all profiles on disk
  std::string checksum;
};

/// Whether open_training() would open something. Throws Error when it cannot be read.
bool is_training(const std::filesystem::path& path);
/// Opens a profile of PyTorch, or a folder with one for each rank; empty when `path` is something
/// else. Throws Error when it is not there or cannot be read.
std::optional<OpenedTraining> open_training(const std::filesystem::path& path);

/// Identity of an input, found without reading it as a trace.
struct InputIdentity {
  std::filesystem::path file;  ///< of a recording's folder its trace.slk, where there is one
  std::uint64_t bytes = 0;
  std::string checksum;  ///< as OpenedTrace and OpenedGoal have it
};

/// The identity of a recording as its ranks have left it.
InputIdentity identify_recording(const std::filesystem::path& folder);
/// The identity of native traces and GOAL files; empty for all others, and if `path` is missing.
std::optional<InputIdentity> identify_input(const std::filesystem::path& path);

/// What an input seems to be that no reader is for.
struct ForeignInput {
  std::string name;    ///< "a report of Nsight Systems"
  std::string advice;  ///< what to give instead, as a sentence
};

/// By the name and the first bytes of a file, or by what a folder holds. Nothing if it is like none
/// of the formats that are known without being read.
std::optional<ForeignInput> foreign_file(const std::filesystem::path& path,
                                         std::span<const std::byte> bytes);
std::optional<ForeignInput> foreign_folder(const std::filesystem::path& folder);

}  // namespace slackline
