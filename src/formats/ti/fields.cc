#include "formats/ti/fields.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text_parsing.h"

namespace slackline::ti {
namespace {

constexpr double kLargest = 9e18;

enum class Kind : std::uint8_t { word, blank, line_break };

constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (const char c : {' ', '\t', '\r'}) kinds[static_cast<unsigned char>(c)] = Kind::blank;
  kinds['\n'] = Kind::line_break;
  return kinds;
}();

Kind kind(char c) {
  return kKinds[static_cast<unsigned char>(c)];
}
bool is_blank(char c) {
  return kind(c) == Kind::blank;
}
bool is_in_word(char c) {
  return kind(c) == Kind::word;
}

/// A double holds numbers of up to this many digits exactly.
constexpr std::size_t kMostDigits = 15;

/// More than 9 if it is none.
unsigned digit_of(char c) {
  return static_cast<unsigned char>(c) - static_cast<unsigned>('0');
}

}  // namespace

std::optional<double> parse_number(std::string_view word) {
  const auto value = number_in<double>(word);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view word) {
  std::size_t digits = 0;
  std::int64_t number = 0;
  const std::size_t most = std::min(word.size(), kMostDigits);
  for (; digits < most && digit_of(word[digits]) <= 9; ++digits)
    number = 10 * number + (word[digits] - '0');
  if (digits == word.size() && digits > 0) return number;
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
  if (text.empty()) return;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (text.back() != '\n' && text.find('\n') == std::string_view::npos) {
    cut(begin, [end](const char* at) { return at == end ? '\n' : *at; });
    text.remove_prefix(text.size());
  } else {
    const char* const line_break = cut(begin, [](const char* at) { return *at; });
    text.remove_prefix(static_cast<std::size_t>(line_break - begin) + 1);
  }
}

/// Up to the line break, which is there, and is returned; `peek` gives a place's character. Nearly
/// all words are digits alone: what number they are is known when their end is found.
template <class Peek>
const char* Fields::cut(const char* at, Peek peek) {
  while (is_blank(peek(at))) ++at;
  while (peek(at) != '\n') {
    const char* const begin = at;
    std::uint64_t number = 0;
    for (unsigned digit = digit_of(peek(at)); digit <= 9; digit = digit_of(peek(++at))) {
      number = 10 * number + digit;
    }
    const bool only_digits = !is_in_word(peek(at));
    if (!only_digits) {
      while (is_in_word(peek(++at))) {
      }
    }
    const auto size = static_cast<std::size_t>(at - begin);
    const bool is_number = only_digits && size <= kMostDigits;
    words_.push_back({begin, size, is_number ? static_cast<std::int64_t>(number) : kNoDigits});
    while (is_blank(peek(at))) ++at;
  }
  return at;
}

double Fields::other_number(std::size_t i) const {
  const auto value = i < words_.size() ? parse_number(word(i)) : std::nullopt;
  if (!value) throw BadField{i};
  return *value;
}

std::int64_t Fields::other_integer(std::size_t i) const {
  const auto value = i < words_.size() ? parse_integer(word(i)) : std::nullopt;
  if (!value) throw BadField{i};
  return *value;
}

namespace {

// By number: C types, fixed-width integers, complex and address types, pairs, Fortran's, C++'s,
// bounds (no size), packed, pointer and count.
constexpr std::array<std::uint8_t, 60> kBytes{
    8,  4,  1,  2,  8,  4,  1,  8,  1, 1, 2, 4,  8, 8, 16, 4, 1,  // double .. bool
    1,  2,  4,  8,  1,  2,  4,  8,                                // int8 .. uint64
    8,  16, 32, 8,  8,                                            // complex, aint, offset
    8,  16, 16, 8,  8,  8,  16, 16,                               // pairs
    4,  4,  8,  16, 8,  16, 16, 4,  2, 4, 8, 16,                  // Fortran
    32, 1,  8,  16, 32, 0,  0,  1,  8, 8};                        // pair, C++, bounds, others

}  // namespace

std::uint32_t datatype_bytes(std::int64_t id) {
  if (id < 0 || id >= static_cast<std::int64_t>(kBytes.size())) return 0;
  return kBytes[static_cast<std::size_t>(id)];
}

}  // namespace slackline::ti
