#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace slackline {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;
constexpr std::string_view kReplacementText = "\xEF\xBF\xBD";

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
}

std::size_t sequence_length(unsigned lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

bool is_scalar_value(std::uint32_t code, std::size_t length) {
  static constexpr std::array<std::uint32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  return code >= kSmallest[length] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

// Bidirectional controls count as control characters: they make a name read as another one.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
         code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

DecodedCharacter decoded_character(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  const std::size_t length = sequence_length(lead);
  if (length == 1) return {lead, 1, true};
  if (length == 0) return {kReplacement, 1, false};
  std::uint32_t code = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned next = byte_at(text, at + i);
    if ((next & 0xC0u) != 0x80u) return {kReplacement, 1, false};
    code = (code << 6) | (next & 0x3Fu);
  }
  if (!is_scalar_value(code, length)) return {kReplacement, 1, false};
  return {code, length, true};
}

std::size_t printable_prefix(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x7F) {  // most characters are
      ++at;
      continue;
    }
    const DecodedCharacter character = decoded_character(text, at);
    if (!character.valid || is_control(character.code)) return at;
    at += character.length;
  }
  return text.size();
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (true) {
    const std::size_t plain = printable_prefix(text);
    result += text.substr(0, plain);
    if (plain == text.size()) return result;
    const DecodedCharacter other = decoded_character(text, plain);
    result += other.valid ? std::string_view(" ") : kReplacementText;
    text.remove_prefix(plain + other.length);
  }
}

std::string printable_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const bool crlf = end < text.size() && end > 0 && text[end - 1] == '\r';
    lines += printable(text.substr(0, crlf ? end - 1 : end));
    if (end < text.size()) lines += crlf ? "\r\n" : "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

namespace {

/// A spreadsheet would compute a field that begins like this, and a name comes from anywhere.
bool is_formula(std::string_view text) {
  if (text.empty()) return false;
  if (text[0] == '=' || text[0] == '@') return true;
  return (text[0] == '+' || text[0] == '-') && text.find_first_of("(|!") != std::string_view::npos;
}

}  // namespace

std::string csv_field(std::string_view given) {
  std::string text = printable_lines(given);
  if (is_formula(text)) text.insert(0, 1, '\'');
  const bool blank_edge = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (text.find_first_of(",\"\r\n") == std::string_view::npos && !blank_edge) {
    return text;
  }
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

namespace {

bool is_plain(char c) {
  constexpr std::string_view kPlain = "@%+=:,./_-";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kPlain.find(c) != std::string_view::npos;
}

/// In quotes that know escapes, with everything but ASCII escaped.
std::string escaped_word(const std::string& word) {
  std::string text = "$'";
  for (const char c : word) {
    if (c == '\'' || c == '\\') {
      text += std::string("\\") + c;
    } else if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      text += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
  }
  return text + "'";
}

}  // namespace

std::string shell_word(const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string csh_word(const std::string& word) {
  std::string text;
  for (const char c : shell_word(word)) text += c == '!' ? std::string("\\!") : std::string(1, c);
  return text;
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += line.empty() ? "" : " ";
    line += printable(word) == word ? shell_word(word) : escaped_word(word);
  }
  return line;
}

}  // namespace slackline
