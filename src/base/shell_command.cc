#include "base/shell_command.h"

#include <algorithm>
#include <string_view>

namespace slackline {
namespace {

bool is_plain(char c) {
  constexpr std::string_view kPlain = "@%+=:,./_-";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kPlain.find(c) != std::string_view::npos;
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
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

}  // namespace slackline
