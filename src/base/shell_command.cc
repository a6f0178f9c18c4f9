#include "base/shell_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/printable.h"

namespace slackline {
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
