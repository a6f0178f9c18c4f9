#include "formats/text/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text_parsing.h"

namespace slackline::text {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kShownBytes = 40;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// What stands there, for a message: short and printable.
std::string shown(std::string_view text) {
  std::string result;
  for (const char c : text.substr(0, kShownBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte >= 0x7f ? '?' : c;
  }
  return text.size() > kShownBytes ? result + "..." : result;
}

template <class T>
bool parse(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool Lexer::next_line() {
  while (!rest_.empty()) {
    const std::string_view line = take_line(rest_);
    ++line_number_;
    line_length_ = line.size();
    cut(line);
    if (!tokens_.empty()) return true;
  }
  tokens_.clear();
  return false;
}

void Lexer::cut(std::string_view line) {
  tokens_.clear();
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && is_space(line[at])) ++at;
    if (at == line.size() || line[at] == '#') return;
    const std::size_t begin = at;
    bool quoted = false;
    for (; at < line.size() && (quoted || !is_space(line[at])); ++at) {
      if (line[at] == '"') quoted = !quoted;
      if (line[at] == '\\' && quoted && at + 1 < line.size()) ++at;
    }
    tokens_.push_back({line.substr(begin, at - begin), begin + 1});
  }
}

void Lexer::fail(const Token& at, std::string_view problem, std::string_view why,
                 std::string_view what_to_do) const {
  throw Error(fmt::format("{}:{}:{}: {}", name_, line_number_, at.column, problem), why,
              what_to_do);
}

void Lexer::fail_at_end(std::string_view problem, std::string_view why,
                        std::string_view what_to_do) const {
  fail(Token{{}, line_length_ + 1}, problem, why, what_to_do);
}

std::int64_t Lexer::integer(const Token& token, std::string_view what, std::int64_t least,
                            std::int64_t most) const {
  std::int64_t value = 0;
  if (!parse(token.text, value)) {
    fail(token, fmt::format("'{}' is not a {}", shown(token.text), what), "an integer is required");
  }
  if (value < least || value > most) {
    fail(token, fmt::format("{} {} is out of range", what, value),
         fmt::format("it must be from {} to {}", least, most));
  }
  return value;
}

std::uint64_t Lexer::unsigned_integer(const Token& token, std::string_view what) const {
  std::uint64_t value = 0;
  if (!parse(token.text, value)) {
    fail(token, fmt::format("'{}' is not a {}", shown(token.text), what),
         "a non-negative integer is required");
  }
  return value;
}

std::int64_t Lexer::time(const Token& token, std::string_view what) const {
  return integer(token, what, -kTimeLimit_ns, kTimeLimit_ns);
}

double Lexer::real(const Token& token, std::string_view what) const {
  double value = 0;
  if (!parse(token.text, value) || !std::isfinite(value)) {
    fail(token, fmt::format("'{}' is not a {}", shown(token.text), what), "a number is required");
  }
  return value;
}

std::int64_t Lexer::named(const Token& token, std::span<const NamedValue> words,
                          std::string_view what, std::int64_t least, std::int64_t most) const {
  const auto found = std::ranges::find(words, token.text, &NamedValue::word);
  if (found != words.end()) return found->value;
  std::int64_t value = 0;
  if (!parse(token.text, value)) {
    std::string accepted;
    for (const NamedValue& word : words) accepted += fmt::format(", {}", word.word);
    fail(token, fmt::format("'{}' is not a {}", shown(token.text), what),
         fmt::format("a number{} is required", accepted));
  }
  return integer(token, what, least, most);
}

std::string Lexer::text(const Token& token) const {
  std::string_view in = token.text;
  if (in.empty() || in.front() != '"') {
    if (in.find('"') != std::string_view::npos) {
      fail(token, "quote inside a word", "quotes must enclose the whole text");
    }
    return std::string(in);
  }
  std::string out;
  for (std::size_t i = 1; i < in.size(); ++i) {
    if (in[i] == '"') {
      if (i + 1 == in.size()) return out;
      fail(token.from(i + 1), "text after the closing quote", "a space is required there");
    }
    if (in[i] != '\\') {
      out += in[i];
      continue;
    }
    if (++i == in.size()) break;
    if (in[i] == 'n') {
      out += '\n';
    } else if (in[i] == 't') {
      out += '\t';
    } else if (in[i] == '"' || in[i] == '\\') {
      out += in[i];
    } else if (in[i] == 'x' && i + 2 < in.size() && hex_digit(in[i + 1]) >= 0 &&
               hex_digit(in[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(in[i + 1]) * 16 + hex_digit(in[i + 2]));
      i += 2;
    } else {
      fail(token.from(i - 1), "unknown escape in a quoted text",
           "known are \\\" \\\\ \\n \\t \\x41");
    }
  }
  fail(token, "unterminated quoted text", "the closing quote is missing on its line",
       "Write line breaks as \\n.");
}

void Lexer::split(const Token& token, char separator, std::vector<Token>& parts) {
  parts.clear();
  if (token.text.empty()) return;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = token.text.find(separator, begin);
    if (end == std::string_view::npos) {
      parts.push_back(token.from(begin));
      return;
    }
    parts.push_back({token.text.substr(begin, end - begin), token.column + begin});
    begin = end + 1;
  }
}

void Lexer::list(const Token& token, std::string_view what, std::int64_t run_limit,
                 std::vector<std::int64_t>& values) const {
  if (token.text.empty()) return;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = token.text.find(',', begin);
    const std::size_t length = std::min(end, token.text.size()) - begin;
    list_item({token.text.substr(begin, length), token.column + begin}, what, run_limit, values);
    if (end == std::string_view::npos) return;
    begin = end + 1;
  }
}

// "7", "8*64" (64 times 8), "0..10" or "0..10/2"; a range may go downwards.
void Lexer::list_item(const Token& item, std::string_view what, std::int64_t run_limit,
                      std::vector<std::int64_t>& values) const {
  const auto part = [&](std::size_t begin, std::size_t end) {
    return Token{item.text.substr(begin, end - begin), item.column + begin};
  };
  if (const std::size_t star = item.text.find('*'); star != std::string_view::npos) {
    const std::int64_t value = integer(part(0, star), what, kMin, kMax);
    const std::int64_t times = integer(item.from(star + 1), "number of repetitions", 0,
                                       std::max<std::int64_t>(run_limit, 0));
    values.insert(values.end(), static_cast<std::size_t>(times), value);
    return;
  }
  const std::size_t dots = item.text.find("..");
  if (dots == std::string_view::npos) {
    values.push_back(integer(item, what, kMin, kMax));
    return;
  }
  const std::size_t slash = std::min(item.text.find('/', dots), item.text.size());
  const std::int64_t first = integer(part(0, dots), what, kMin / 4, kMax / 4);
  const std::int64_t last = integer(part(dots + 2, slash), what, kMin / 4, kMax / 4);
  const std::int64_t stride =
      slash < item.text.size()
          ? integer(item.from(slash + 1), "stride", 1, std::numeric_limits<std::int32_t>::max())
          : 1;
  const std::int64_t steps = std::abs(last - first) / stride;
  if (steps >= run_limit) {
    fail(item, fmt::format("range '{}' is too long", shown(item.text)),
         fmt::format("the maximum is {} values", run_limit),
         "Split it into several, separated by commas.");
  }
  for (std::int64_t i = 0; i <= steps; ++i) {
    values.push_back(first < last ? first + i * stride : first - i * stride);
  }
}

}  // namespace slackline::text
