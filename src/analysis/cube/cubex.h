#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cube/severity_cube.h"

namespace slackline {

/// What a profile says of itself.
struct ProfileOrigin {
  std::string creator;             ///< "Slackline 0.2.0"
  std::string program;             ///< the root of the call tree
  std::vector<std::string> hosts;  ///< by rank; empty: not known
};

/// Writes a cube in the format of Cube 4 (doc/formats/profiles.md), as the tools of Scalasca read
/// it: a tar archive of anchor.xml and of two files for each metric that has values. Times are in
/// seconds; "time" contains "computation" and "mpi", and this "wait" with its patterns. One metric
/// is in memory at a time: 8 bytes for each call path that has it and each rank.
void write_cubex(const SeverityCube& cube, const ProfileOrigin& origin,
                 const std::function<void(std::string_view)>& write);

}  // namespace slackline
