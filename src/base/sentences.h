#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slackline {

/// "a, b and c"; empty of nothing.
std::string enumeration(const std::vector<std::string>& parts);

/// "rank 3", "ranks 0, 1 and 7"; empty of none.
std::string named_ranks(const std::vector<std::int32_t>& ranks);

/// "1 %", "2.5 %": parts per million with as many digits as they need.
std::string percent_of_ppm(std::int64_t ppm);

}  // namespace slackline
