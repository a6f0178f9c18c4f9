#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slackline {

/// "a, b and c"; empty of nothing.
std::string enumeration(const std::vector<std::string>& parts);

/// "rank 3", "ranks 0, 1 and 7"; empty of none.
std::string named_ranks(const std::vector<std::int32_t>& ranks);

/// "1 %", "2.5 %": parts per million with as many digits as they need.
std::string percent_of_ppm(std::int64_t ppm);

/// The few of `names` that are most like `wanted` (fewest letters to insert, leave out or replace),
/// each once, nearest first, separated by commas: for an error that says what there is. Of each
/// name O(its length x that of `wanted`).
std::string nearest_names(std::string_view wanted, std::vector<std::string> names);

/// Those of `names` that `wanted` may stand for, nearest first: `wanted` is their beginning (three
/// letters or more), or differs from them in at most two letters or a third of its own. Names
/// farther away than the nearest by more than one letter are left out. As costly.
std::vector<std::string> likely_names(std::string_view wanted, std::vector<std::string> names);

}  // namespace slackline
