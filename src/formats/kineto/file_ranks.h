#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace slackline {

/// The ranks that the names of one run's profiles tell apart, or an empty list if they tell none:
/// the number after a word such as "rank" ("rank-3.Jun_07.4711.pt.trace.json"), else a number that
/// counts the files where the names are otherwise alike ("trace_3.json"). Dates, process ids, and
/// what is equal in all names are no ranks. All are different. O(n log n) for n names.
std::vector<std::int32_t> ranks_in_names(std::span<const std::string> names);

/// Whether `a` comes before `b`, numbers in them by their values: "x9.json" before "x10.json".
bool natural_less(std::string_view a, std::string_view b);

}  // namespace slackline
