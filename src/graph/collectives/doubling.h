#pragma once

#include <cstdint>
#include <functional>

#include "graph/collectives/step_writer.h"

namespace slackline::collectives {

/// Bytes that a group of `count` participants from `first` on holds (cut off at the last one).
using GroupBytes = std::function<std::uint64_t(std::int32_t first, std::int32_t count)>;

/// Recursive doubling among all P participants for any P; participant i is the rank i behind
/// `origin`. In round k neighbouring groups of 2^k swap what they hold: each sends group(own) and
/// gets group(other). Members of a full group whose partner does not exist, because the other group
/// is cut off by P, get the same from their group's own members by recursive halving (MPICH's
/// scheme). ceil(log2 P) rounds for a power of two, at most twice as many otherwise.
void recursive_doubling_exchange(StepWriter& w, std::int32_t origin, const GroupBytes& group);

}  // namespace slackline::collectives
