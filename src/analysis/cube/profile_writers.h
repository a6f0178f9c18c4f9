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

/// Writes a cube as the list of nodes that Hatchet's GraphFrame.from_literal() takes, as JSON
/// (doc/formats/profiles.md): one tree for each rank, whose nodes have the rank as a metric, with
/// `program` as its root. Times are in seconds; "time" is computation and MPI, "time (inc)" with
/// all that is called. A tree has the call paths that its rank has. O(ranks x call paths).
void write_hatchet(const SeverityCube& cube, const std::string& program,
                   const std::function<void(std::string_view)>& write);

/// One run of a scaling study.
struct ScalingRun {
  double run_ns = 0;  ///< length of the analysed interval
  SeverityCube cube;
};

/// The runs as Extra-P's JSON Lines: a measurement a line, with the number of ranks as parameter p.
/// The run time in s is of the call path "run"; of each other one the metrics are those of the cube
/// as means over the ranks: times in s, calls, bytes. What a run has not is 0, so that every call
/// path has all points.
std::string extra_p_lines(const std::vector<ScalingRun>& runs);

}  // namespace slackline
