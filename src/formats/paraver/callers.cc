#include "formats/paraver/callers.h"

#include <cstddef>

namespace slackline::paraver {

void Callers::add(std::int64_t type, std::int64_t value) {
  const bool is_line = type > kCallerLine;
  const auto level = static_cast<std::size_t>(type - (is_line ? kCallerLine : kCaller));
  if (levels_.size() < level) levels_.resize(level);
  (is_line ? levels_[level - 1].line : levels_[level - 1].function) = value;
}

FrameId Callers::frame(const Names& names, CallTree& tree) const {
  FrameId frame = 0;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    const auto function = names.callers.find(level->function);
    if (function == names.callers.end()) continue;
    CodeLocation location;
    const auto line = names.caller_lines.find(level->line);
    if (line != names.caller_lines.end()) location = line->second;
    location.function = function->second;
    frame = tree.child(frame, location);
  }
  return frame;
}

}  // namespace slackline::paraver
