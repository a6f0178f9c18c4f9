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

/// Calls visit(line, number), the first number being 1, for each line that has something beside
/// white space and a comment, which begins with '#'.
template <class Visit>
void for_each_entry(std::string_view text, Visit visit) {
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::string_view content = trimmed(line.substr(0, line.find('#')));
    ++number;
    if (!content.empty()) visit(content, number);
    begin = end + 1;
  }
}

}  // namespace slackline
