#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "trace/samples.h"
#include "trace/trace_builder.h"

namespace slackline {

// The text form of a trace: one line per operation, exact in both directions. Tests, goldens and
// bug reports are written in it; doc/formats/text.md describes it.

/// Reads a whole trace. `name` stands for the file in messages. Throws Error
/// "name:line:column: problem: reason. What to do." at the first thing that is not understood.
/// Memory is bounded by about 1 KiB per byte of text. `samples`, if given, gets those of the text.
Trace read_text(std::string_view text, std::string_view name, Samples* samples = nullptr);

/// Does `head` (the beginning of a file) look like the text form?
bool looks_like_text(std::string_view head);

/// A Finding of calls that start with request 0 while others wait for it: 0 stands for none, so it
/// is somebody's counting from 0, and they wait for nothing. O(calls).
void find_request_zero(TraceBuilder& trace);

struct TextOptions {
  std::optional<std::int32_t> rank;  ///< this rank only; the others read back as absent
  const Samples* samples = nullptr;  ///< to be written, too
};

/// Called with successive pieces of the text.
using TextSink = std::function<void(std::string_view)>;

/// Writes `trace`; read_text() of it gives the same trace, rank facts and findings included.
void write_text_trace(const Trace& trace, const TextSink& sink, const TextOptions& options = {});

/// write_text_trace into one string, for tests and small traces.
std::string to_text(const Trace& trace, const Samples* samples = nullptr);

}  // namespace slackline
