#pragma once

#include <vector>

#include "page/drawn_timeline.h"
#include "trace/trace.h"

namespace slackline {

/// The ranks by host and by communicator, as far as these tell more than one group apart. A rank
/// that several communicators have is in the first of them; MPI_COMM_WORLD is none. O(ranks +
/// members).
std::vector<Timeline::Grouping> groupings_of(const Trace& trace);

}  // namespace slackline
