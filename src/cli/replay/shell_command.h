#pragma once

#include <string>
#include <vector>

namespace slackline {

/// The words as one line for a shell; those with characters that are special to one are quoted.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace slackline
