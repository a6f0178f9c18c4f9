#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "trace/goal/program.h"
#include "trace/trace.h"

namespace slackline {

/// Reads GOAL text or binary and linearises it.
Trace read_goal_as_trace(std::span<const std::byte> bytes, std::string_view name);

/// Either form. Throws Error.
GoalProgram read_goal(std::span<const std::byte> bytes, std::string_view name);
bool looks_like_goal(std::span<const std::byte> bytes);

}  // namespace slackline
