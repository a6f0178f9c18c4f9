#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/reading_options.h"
#include "app/options/run_request.h"
#include "formats/open/open.h"

namespace slackline {

class OptionList;
struct OpenedTrace;
struct Report;

/// What a trace holds and whether it is complete.
struct InfoRequest {
  std::string trace{};  ///< empty: the newest recording in the current folder
  ReadingOptions reading{};
};
void declare(OptionList& options, InfoRequest& request);

/// Throws Error.
Report execute(const InfoRequest& request);
/// The same of a trace that is open. O(calls).
Report info_of(const OpenedTrace& opened);

/// A trace in another format.
struct ConvertRequest {
  ModelRequest input{};
  std::string out{};            ///< the file or folder to make
  std::string to{};             ///< name of its format; empty: by the extension of `out`
  bool force = false;           ///< replaces a folder that exists already
  bool predicted = false;       ///< with the times that the model predicts
  bool ideal = false;           ///< with those of a network of no latency and infinite bandwidth
  std::string arrows = "path";  ///< in Perfetto's timeline: path, all or none
};
void declare(OptionList& options, ConvertRequest& request);

/// The names that ConvertRequest::to takes.
std::vector<std::string> writable_formats();

/// Writes the file and reports what was written. Throws Error.
Report execute(const ConvertRequest& request);

/// A trace as text, a line per operation.
struct PrintRequest {
  std::string trace{};  ///< empty: the newest recording in the current folder
  ReadingOptions reading{};
  std::optional<std::int32_t> rank{};  ///< this rank only
};
void declare(OptionList& options, PrintRequest& request);

/// The trace to print. Throws Error, also when it does not have the rank.
OpenedTrace load(const PrintRequest& request);
/// Hands the text of `opened` to `write` in pieces.
void print(const OpenedTrace& opened, const PrintRequest& request,
           const std::function<void(std::string_view)>& write);

}  // namespace slackline
