#pragma once

#include <string_view>
#include <vector>

#include "calls/call_paths.h"
#include "trace/trace.h"

namespace slackline {

/// The frame of the function that the computation right before `call` ran in, with the line from
/// which that function came to `call`; 0 unknown. `functions` are paths of functions. Linear in the
/// depth of the path.
FrameId frame_of_gap(const Trace& trace, const CallPaths& functions, std::int32_t rank,
                     std::uint32_t call);

/// `frame` or the innermost of its callers that is a function of the program's own: of no C or C++
/// library, compiler's run-time library, MPI or math library, Python's own or an installed Python
/// module, and not inlined into its caller; but what is inlined into `main` or Fortran's main
/// program stands for itself. Without one, the
/// innermost whose source is known, else `frame`. Linear in the depth.
FrameId own_frame(const CallTree& tree, FrameId frame);
/// own_frame() of every frame of the tree, 0 included. O(frames x depth).
std::vector<FrameId> own_frames(const CallTree& tree);

/// For each frame of the tree, 0 included, whether it is one of `function` or of what that calls.
std::vector<bool> frames_of_function(const CallTree& tree, std::string_view function);

/// `frame`, or the outer one of its path that lies `depth` deep; 0 if the path is not so deep.
FrameId ancestor_at(const CallTree& tree, FrameId frame, std::uint32_t depth);

}  // namespace slackline
