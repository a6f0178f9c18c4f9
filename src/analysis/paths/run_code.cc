#include "analysis/paths/run_code.h"

namespace slackline {

RunCode::RunCode(const Trace& trace, const Samples* samples)
    : trace_(trace),
      paths_(trace.call_tree().empty() ? CallPaths(trace) : CallPaths::of_functions(trace)) {
  if (!trace.call_tree().empty()) {
    functions_.emplace(trace, samples);
    return;
  }
  frame_of_path_.resize(paths_.size(), 0);
  for (PathId path = 1; path < paths_.size(); ++path) {
    CodeLocation region;
    region.function = paths_.innermost(path);
    frame_of_path_[path] = regions_.child(frame_of_path_[paths_.parent(path)], region);
  }
}

}  // namespace slackline
