#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace slackline {

/// `text` without white space at its ends.
constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// The first line of `rest`, without its end, and takes it off.
constexpr std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

/// Calls visit(line, number), the first number being 1, for each line that has something beside
/// white space and a comment, which begins with '#'.
template <class Visit>
void for_each_entry(std::string_view text, Visit visit) {
  std::size_t number = 0;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const std::string_view content = trimmed(line.substr(0, line.find('#')));
    ++number;
    if (!content.empty()) visit(content, number);
  }
}

}  // namespace slackline
