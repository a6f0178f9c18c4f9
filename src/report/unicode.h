#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slackline {

// How text from the outside (names of files, functions, hosts) becomes text that a terminal can
// show: valid UTF-8, no control characters, and a known number of columns.

/// `text` as valid UTF-8 (what is not becomes U+FFFD), with every control character, line breaks
/// included, replaced by a blank: nothing in a name can move the cursor or change a colour.
std::string printable(std::string_view text);

/// Bytes at the begin of `text` that printable() leaves as they are.
std::size_t printable_prefix(std::string_view text);

/// printable() of text of several lines, which stay lines.
std::string printable_lines(std::string_view text);

/// `text` as part of XML or HTML: of an element or of a quoted attribute.
std::string escaped_xml(std::string_view text);

/// Columns that `text`, as printable() gives it, takes on a terminal: 2 for East Asian wide
/// characters and emoji, 0 for combining marks.
int display_width(std::string_view text);

/// `text` followed (or preceded) by blanks up to `width` columns.
std::string pad_right(std::string text, int width);
std::string pad_left(std::string text, int width);

/// Lines of at most `width` columns (`width` >= 2), broken at blanks; a word longer than a line is
/// cut where the line ends. At least one line. Line breaks in `text` are kept.
std::vector<std::string> wrap(std::string_view text, int width);

}  // namespace slackline
