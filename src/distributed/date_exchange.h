#pragma once

#include "calls/forward_pass.h"
#include "distributed/trace_part.h"
#include "parallel/process_group.h"

namespace slackline {

/// Walks the pass to its end in all processes together: all advance, then exchange when partner
/// calls begin, and so on. Only dates cross, a few bytes each; the number of exchanges is that of
/// dependences between processes that follow each other. False if the pass does not come to its
/// end: there are calls that wait for each other.
bool run_forward(ForwardPass& pass, const TracePart& part, ProcessGroup& group);

}  // namespace slackline
