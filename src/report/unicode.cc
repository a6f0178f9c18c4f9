#include "report/unicode.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace slackline {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Blocks rather than single characters of Unicode 15's EastAsianWidth (W and F).
constexpr std::array kWide{
    Range{0x1100, 0x115F},   Range{0x231A, 0x231B},   Range{0x23E9, 0x23EC},
    Range{0x25FD, 0x25FE},   Range{0x2614, 0x2615},   Range{0x2648, 0x2653},
    Range{0x26AA, 0x26AB},   Range{0x26BD, 0x26BE},   Range{0x2705, 0x2705},
    Range{0x270A, 0x270B},   Range{0x274C, 0x274C},   Range{0x2753, 0x2755},
    Range{0x2B1B, 0x2B1C},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},
    Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},
    Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},
    Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},
    Range{0x16FE0, 0x18AFF}, Range{0x1B000, 0x1B2FF}, Range{0x1F004, 0x1F004},
    Range{0x1F18E, 0x1F19A}, Range{0x1F200, 0x1F320}, Range{0x1F32D, 0x1F64F},
    Range{0x1F680, 0x1F6FF}, Range{0x1F7E0, 0x1F7EB}, Range{0x1F90C, 0x1F9FF},
    Range{0x1FA70, 0x1FAFF}, Range{0x20000, 0x3FFFD},
};

// The combining marks and format characters that occur in practice.
constexpr std::array kZero{
    Range{0x00AD, 0x00AD},   Range{0x0300, 0x036F},   Range{0x0483, 0x0489}, Range{0x0591, 0x05BD},
    Range{0x0610, 0x061A},   Range{0x064B, 0x065F},   Range{0x0E34, 0x0E3A}, Range{0x0E47, 0x0E4E},
    Range{0x1AB0, 0x1AFF},   Range{0x1DC0, 0x1DFF},   Range{0x200B, 0x200F}, Range{0x2060, 0x2064},
    Range{0x20D0, 0x20FF},   Range{0xFE00, 0xFE0F},   Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF},
    Range{0x1F3FB, 0x1F3FF}, Range{0xE0100, 0xE01EF},
};

template <std::size_t N>
bool contains(const std::array<Range, N>& ranges, std::uint32_t code) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), code,
                                      [](std::uint32_t c, Range r) { return c < r.first; });
  return after != ranges.begin() && code <= std::prev(after)->last;
}

int width_of(std::uint32_t code) {
  if (contains(kZero, code)) return 0;
  return contains(kWide, code) ? 2 : 1;
}

/// Bytes of the longest prefix that fits into `width` columns. Stops reading where it ends.
std::size_t fitting_prefix(std::string_view word, int width) {
  std::size_t at = 0;
  for (int used = 0; at < word.size();) {
    const DecodedCharacter character = decoded_character(word, at);
    used += width_of(character.code);
    if (used > width) break;
    at += character.length;
  }
  return at;
}

/// Where the next word ends. A unit stays with its number: no line begins with "ms" or "%".
std::size_t word_end(std::string_view line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  if (line.empty() || line[0] < '0' || line[0] > '9' || end == line.size()) return end;
  const std::size_t next_end = std::min(line.find_first_of(" .,;:)", end + 1), line.size());
  const std::string_view next = line.substr(end + 1, next_end - end - 1);
  static constexpr std::array<std::string_view, 11> kUnits{"%", "ns", "us",  "ms",  "s",  "min",
                                                           "h", "B",  "KiB", "MiB", "GiB"};
  if (std::find(kUnits.begin(), kUnits.end(), next) == kUnits.end()) return end;
  return std::min(line.find(' ', end + 1), line.size());
}

void wrap_line(std::string_view line, int width, std::vector<std::string>& lines) {
  std::string current;
  int used = 0;
  const auto flush = [&] {
    lines.push_back(std::move(current));
    current.clear();
    used = 0;
  };
  while (!line.empty()) {
    const std::size_t end = word_end(line);
    std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    if (word.empty()) continue;
    if (used > 0 && fitting_prefix(word, width - used - 1) < word.size()) flush();
    // Two columns, the least that wrap() has, are enough for any character: each round cuts some.
    for (std::size_t fits; (fits = fitting_prefix(word, width)) < word.size();) {
      lines.emplace_back(word.substr(0, fits));
      word.remove_prefix(fits);
    }
    if (used > 0) current += ' ', ++used;
    current += word;
    used += display_width(word);
  }
  if (used > 0 || lines.empty()) flush();
}

}  // namespace

std::string escaped_xml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const DecodedCharacter character = decoded_character(text, at);
    width += width_of(character.code);
    at += character.length;
  }
  return width;
}

std::string pad_right(std::string text, int width) {
  const int missing = width - display_width(text);
  if (missing > 0) text.append(static_cast<std::size_t>(missing), ' ');
  return text;
}

std::string pad_left(std::string text, int width) {
  const int missing = width - display_width(text);
  if (missing > 0) text.insert(0, static_cast<std::size_t>(missing), ' ');
  return text;
}

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    std::vector<std::string> part;
    wrap_line(printable(text.substr(from, end - from)), std::max(width, 2), part);
    lines.insert(lines.end(), part.begin(), part.end());
    from = end + 1;
  }
  return lines;
}

}  // namespace slackline
