#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "analysis/model/model_choice.h"
#include "base/findings.h"
#include "base/output_files.h"
#include "calls/call_matching.h"
#include "trace/goal/program.h"
#include "trace/samples.h"
#include "trace/trace.h"
#include "trace/trace_extras.h"

namespace slackline {

/// Which messages are arrows in a timeline.
enum class TimelineArrows : std::uint8_t { path, all, none };

/// What a trace writer gets. Most look at `trace` only.
struct WriteRequest {
  const Trace& trace;
  /// The matching of its calls, computed when a format asks for it.
  std::function<const CallMatching&()> matching;
  /// The file or folder to make. Writers may put other files beside it, of names that begin with
  /// its stem: all of them appear together (base/output_files.h).
  std::filesystem::path path;
  const ModelChoice& model;              ///< for formats in which collectives are messages
  const GoalProgram* program = nullptr;  ///< when the input is a GOAL file
  TimelineArrows arrows = TimelineArrows::path;
  const Samples* samples = nullptr;    ///< of the trace, where the input has them
  const SendRecords* sends = nullptr;  ///< of the trace, where its times are the measured ones
};

/// One format that `slackline convert` can write. The table is trace_writers(); a new format is a
/// line there.
struct TraceWriter {
  std::string_view name;  ///< as --to takes it
  /// ".slk"; an output so named needs no --to. The second is another usual one, if there is one.
  std::array<std::string_view, 2> extensions;
  std::string_view description;  ///< for messages and help: "a native trace"
  bool times;                    ///< it says when a call begins and ends
  /// Returns what the format could not hold, as Findings. Throws Error.
  Findings (*write)(const WriteRequest&);
  bool matches = false;  ///< it asks for WriteRequest::matching
  /// It is read as a trace again, without the times off the processor.
  bool loses_cpu_time = false;
  /// It is read as a program again, of which a model may say something else.
  bool loses_prediction = false;
  /// It makes one file, from its begin to its end: a stream can take it.
  bool one_file = true;
};

std::span<const TraceWriter> trace_writers();
/// A place for what `writer` writes. Throws Error where that cannot be written to `path`.
OutputFiles output_of(const TraceWriter& writer, const std::filesystem::path& path,
                      OutputFiles::Existing existing = OutputFiles::Existing::refuse_folders);
/// The format that files with the extension of `path` have; null if none has.
const TraceWriter* writer_by_extension(const std::filesystem::path& path);

}  // namespace slackline
