#pragma once

#include <string_view>

#include "graph/collectives/schedule.h"

namespace slackline {

/// What SimGrid's SMPI performs `call` by, under `name`: its name for an algorithm of that
/// operation, or a selector (default, ompi, mpich, mvapich2, impi; automatic counts as default). A
/// final row of the table, never a selector; nullptr for an unknown name. Where SimGrid's own would
/// fail (a number of ranks it does not take) the rows have an answer. Source: SimGrid 4.1's
/// smpi/colls.
SmpiDecision smpi_decision(std::string_view name, const CollectiveCall& call);

}  // namespace slackline
