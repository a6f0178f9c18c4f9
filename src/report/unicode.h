#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/printable.h"

namespace slackline {

// How text that base/printable.h has cleaned is laid out on a terminal: in a known number of
// columns.

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
