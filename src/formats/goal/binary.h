#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "trace/goal/program.h"

namespace slackline {

/// LogGOPSim's binary form of GOAL (what its txt2bin writes; layout in doc/formats/goal.md).
bool looks_like_goal_binary(std::span<const std::byte> bytes);

/// Throws Error, with the offset, when the bytes are no such file or contradict themselves.
GoalProgram read_goal_binary(std::span<const std::byte> bytes, std::string_view name);

/// The same bytes that txt2bin makes of write_goal_text()'s output.
std::string goal_binary(const GoalProgram& program);

}  // namespace slackline
