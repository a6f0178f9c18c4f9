#pragma once

#include <cstdint>

#include "formats/goal/text_cursor.h"
#include "trace/goal/program.h"

namespace slackline {

/// Reads a rank's block of GOAL text from behind its opening brace up to and with the closing one,
/// and adds what it says to `rank`. Throws Error for its place.
void read_goal_block(Cursor& in, std::uint64_t rank_count, GoalRank& rank);

}  // namespace slackline
