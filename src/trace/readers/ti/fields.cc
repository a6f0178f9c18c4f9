#include "trace/readers/ti/fields.h"

#include <charconv>
#include <cmath>

namespace slackline::ti {
namespace {

constexpr double kLargest = 9e18;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// All visible characters lie above the blank, which one comparison finds out.
bool is_in_word(char c) {
  return static_cast<unsigned char>(c) > ' ' || (!is_blank(c) && c != '\n');
}

/// Nearly all fields are digits alone, few enough for a double to hold their number exactly: that
/// is read in a tenth of the time.
bool read_digits(std::string_view word, std::int64_t& number) {
  constexpr std::size_t kMostDigits = 15;
  if (word.empty() || word.size() > kMostDigits) return false;
  std::int64_t sum = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return false;
    sum = 10 * sum + (c - '0');
  }
  number = sum;
  return true;
}

}  // namespace

std::optional<double> parse_number(std::string_view word) {
  if (std::int64_t digits = 0; read_digits(word, digits)) return static_cast<double>(digits);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view word) {
  if (std::int64_t digits = 0; read_digits(word, digits)) return digits;
  const std::optional<double> value = parse_number(word);
  if (!value || std::abs(*value) > kLargest) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::string_view first_word(std::string_view line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && is_in_word(line[end])) ++end;
  return line.substr(begin, end - begin);
}

void Fields::take_line(std::string_view& text) {
  words_.clear();
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end && *at != '\n') {
    const char* const first = at;
    while (at != end && is_in_word(*at)) ++at;
    if (at != first) words_.emplace_back(first, static_cast<std::size_t>(at - first));
    while (at != end && is_blank(*at)) ++at;
  }
  text.remove_prefix(static_cast<std::size_t>(at - text.data()) + (at != end ? 1 : 0));
}

double Fields::number(std::size_t i) const {
  const auto value = i < words_.size() ? parse_number(words_[i]) : std::nullopt;
  if (!value) throw BadField{i};
  return *value;
}

std::int64_t Fields::integer(std::size_t i) const {
  const auto value = i < words_.size() ? parse_integer(words_[i]) : std::nullopt;
  if (!value) throw BadField{i};
  return *value;
}

std::int64_t Fields::integer(std::size_t i, std::int64_t missing) const {
  return i < words_.size() ? integer(i) : missing;
}

}  // namespace slackline::ti
