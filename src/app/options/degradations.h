#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slackline {

/// Relative increases of the run time, each as "1%": in millionths, ascending, without duplicates;
/// 1 %, 2 % and 5 % when none were given. Throws usage Error.
std::vector<std::int64_t> parse_degradations(const std::vector<std::string>& texts);

/// As ratios.
std::vector<double> ratios_of(const std::vector<std::int64_t>& ppm);

}  // namespace slackline
