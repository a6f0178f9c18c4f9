#pragma once

#include <string>

#include "calls/call_matching.h"
#include "calls/collective_scope.h"
#include "trace/trace.h"

namespace slackline {

/// Words for a collective call at windows, or at files, that some members never enter, or in which
/// different ones meet, so that a process would wait forever; empty if there is none. Linear.
std::string incomplete_collective(const Trace& trace, const CallMatching& matching,
                                  CollectiveScope scope);

}  // namespace slackline
