#pragma once

#include <string>
#include <vector>

namespace slackline {

/// The word as a shell reads it: in single quotes where it is empty or has characters that are
/// special to a shell.
std::string shell_word(const std::string& word);

/// The same for csh and tcsh, which expand `!` within single quotes, too.
std::string csh_word(const std::string& word);

/// The words as one line for a shell.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace slackline
