#pragma once

#include <string>
#include <vector>

#include "app/options/model_request.h"

namespace slackline {

class OptionList;
struct Report;

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

}  // namespace slackline
