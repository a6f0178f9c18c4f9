#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include "cli/command_parser.h"

#include "report/report.h"

namespace slackline {

/// Declares --degrade LIST.
void add_degradations(CommandParser& parser, std::vector<std::string>& degradations);

/// In millionths, ascending, each once; 1 %, 2 % and 5 % when none were given. Throws usage Error.
std::vector<std::int64_t> parse_degradations(const std::vector<std::string>& texts);

Json degradations_to_json(const std::vector<std::int64_t>& ppm);

}  // namespace slackline
