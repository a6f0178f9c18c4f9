#pragma once

#include <cstdint>
#include <string_view>

#include "trace/goal/program.h"

namespace slackline {

/// Generated GOAL programs for benchmarks, of about `operations` operations.
enum class GoalPattern : std::uint8_t {
  stencil,    ///< 27 ranks; nonblocking exchange with all neighbours, then a wait
  wavefront,  ///< 8 x 8 ranks; receive from west and north, compute, send to east and south
  random,     ///< 64 ranks; nonblocking messages between random pairs, a wait now and then
  alltoall,   ///< everybody sends to everybody at once: ranks by the size
};

std::string_view to_string(GoalPattern pattern);
GoalProgram make_goal_program(GoalPattern pattern, std::uint64_t operations);

}  // namespace slackline
