#pragma once

#include <string>
#include <vector>

namespace slackline {

/// The word as a shell reads it: in single quotes where it is empty or has characters that are
/// special to a shell.
std::string shell_word(const std::string& word);

/// The same for csh and tcsh, which expand `!` within single quotes, too.
std::string csh_word(const std::string& word);

/// The words as one line to be shown, for bash, ksh and zsh: where a terminal would obey characters
/// of a word, its bytes are written as `$'\033'`, which these shells read.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace slackline
