#pragma once

#include "calls/call_paths.h"
#include "trace/trace.h"

namespace slackline {

/// The frame of the function that the computation right before `call` ran in, with the line from
/// which that function came to `call`; 0 unknown. `functions` are paths of functions. Linear in the
/// depth of the path.
FrameId frame_of_gap(const Trace& trace, const CallPaths& functions, std::int32_t rank,
                     std::uint32_t call);

/// `frame`, or the outer one of its path that lies `depth` deep; 0 if the path is not so deep.
FrameId ancestor_at(const CallTree& tree, FrameId frame, std::uint32_t depth);

}  // namespace slackline
