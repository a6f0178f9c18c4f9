#include "analysis/paths/code_places.h"

namespace slackline {

FrameId ancestor_at(const CallTree& tree, FrameId frame, std::uint32_t depth) {
  if (tree.depth(frame) < depth) return 0;
  while (tree.depth(frame) > depth) frame = tree.parent(frame);
  return frame;
}

FrameId frame_of_gap(const Trace& trace, const CallPaths& functions, std::int32_t rank,
                     std::uint32_t call) {
  const PathId path = functions.before_call(rank, call);
  return ancestor_at(trace.call_tree(), trace.calls(rank).frame(call), functions.depth(path));
}

}  // namespace slackline
