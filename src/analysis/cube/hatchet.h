#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "analysis/cube/severity_cube.h"

namespace slackline {

/// Writes a cube as the list of nodes that Hatchet's GraphFrame.from_literal() takes, as JSON
/// (doc/formats/profiles.md): one tree for each rank, whose nodes have the rank as a metric, with
/// `program` as its root. Times are in seconds; "time" is computation and MPI, "time (inc)" with
/// all that is called. A tree has the call paths that its rank has. O(ranks x call paths).
void write_hatchet(const SeverityCube& cube, const std::string& program,
                   const std::function<void(std::string_view)>& write);

}  // namespace slackline
