#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace slackline {

/// "0,10us..100us": times, and ranges, which stand for ten evenly spaced times (10us, 20us ...
/// 100us). In nanoseconds, ascending, without duplicates, and always with 0. Throws usage Error.
std::vector<std::int64_t> parse_latencies(std::string_view text);

}  // namespace slackline
