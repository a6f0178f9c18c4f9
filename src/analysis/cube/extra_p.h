#pragma once

#include <string>
#include <vector>

#include "analysis/cube/severity_cube.h"

namespace slackline {

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
