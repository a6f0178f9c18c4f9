#pragma once

#include "timing/reduction/reduced_graph.h"

namespace slackline {

/// Whether `reduced`, which comes from a file, is one that passes may run over: every edge belongs
/// to a node and reads a slot that an earlier node has written, every node writes a slot that there
/// is, wide counts are referred to in their order, no slot is unused, sums stay below kMostCount,
/// and the largest sums are `reduced.longest`. One pass over nodes and edges; 40 bytes a slot, of
/// which there are no more than nodes.
bool is_sound(const ReducedLogGPS& reduced);

}  // namespace slackline
