#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slackline {

/// The few of `names` that are most like `wanted` (fewest letters to insert, leave out or replace),
/// each once, nearest first, separated by commas: for an error that says what there is. Of each
/// name O(its length x that of `wanted`).
std::string nearest_names(std::string_view wanted, std::vector<std::string> names);

}  // namespace slackline
