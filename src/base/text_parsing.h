#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

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

/// The number at the front of `text`, which is taken off it; none where it begins with none or with
/// one that does not fit. A sign is '-' only; a double may be "inf" or "nan", as std::from_chars
/// has it.
template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// The number that all of `text` is; none where there is anything else.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  const std::optional<Number> value = take_number<Number>(text);
  return text.empty() ? value : std::nullopt;
}

/// A file's name around its last number, as recorders name the files of the ranks of one run: the
/// number of "run-0003.bin" is 3.
struct NumberedName {
  std::string before;
  std::string after;
  std::size_t number = 0;

  /// Is it of the same run?
  bool like(const NumberedName& other) const {
    return before == other.before && after == other.after;
  }
};

/// Numbers from there on are none: no job has so many ranks.
inline constexpr std::size_t kNumberedNamesEnd = std::size_t{1} << 20;

/// None if the name has no number, or if it is too large.
std::optional<NumberedName> numbered_name(const std::string& name);

}  // namespace slackline
