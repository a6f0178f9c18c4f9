#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slackline {

// How text from the outside (names of files, functions, hosts) becomes text that a terminal can
// show: valid UTF-8 without control characters.

/// `text` as valid UTF-8 (what is not becomes U+FFFD), with every control character, line breaks
/// included, replaced by a blank: nothing in a name can move the cursor or change a colour.
std::string printable(std::string_view text);

/// Bytes at the begin of `text` that printable() leaves as they are.
std::size_t printable_prefix(std::string_view text);

/// printable() of text of several lines, which stay lines.
std::string printable_lines(std::string_view text);

/// `text`, printable, as one field of a CSV file: in quotes where it needs them, and so that no
/// spreadsheet computes it.
std::string csv_field(std::string_view text);

/// One character of UTF-8.
struct DecodedCharacter {
  std::uint32_t code;
  std::size_t length;  ///< bytes it takes in the text; 1 for a byte that is not UTF-8
  bool valid;
};
/// The one that begins at `at`.
DecodedCharacter decoded_character(std::string_view text, std::size_t at);

/// The word as a shell reads it: in single quotes where it is empty or has characters that are
/// special to a shell.
std::string shell_word(const std::string& word);

/// The same for csh and tcsh, which expand `!` within single quotes, too.
std::string csh_word(const std::string& word);

/// The words as one line to be shown, for bash, ksh and zsh: where a terminal would obey characters
/// of a word, its bytes are written as `$'\033'`, which these shells read.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace slackline
