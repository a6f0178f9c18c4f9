#pragma once

#include <string_view>

#include "graph/collectives/schedule.h"

namespace slackline {

/// What SimGrid's SMPI performs a call by. `name` is one of its algorithms for the call's operation
/// or one of its selectors (default, ompi, mpich, ..), which decide by the call; the result is
/// never a selector. nullptr when SMPI has no such name.
const CollectiveAlgorithm* smpi_algorithm(std::string_view name, const CollectiveCall& call);

}  // namespace slackline
