#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "trace/goal/program.h"

namespace slackline {

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

inline constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();

/// A place in the text, and what can be read there.
class Cursor {
 public:
  Cursor(std::string_view whole, std::string_view name, std::size_t begin, std::size_t end)
      : whole_(whole), name_(name), at_(whole.data() + begin), end_(whole.data() + end) {}

  const char* here() const { return at_; }
  const char* end() const { return end_; }
  void jump(const char* to) { at_ = to; }
  bool at_end() const { return at_ == end_; }
  char peek() const { return at_ < end_ ? *at_ : '\0'; }

  /// Blanks and block comments; not the end of a line.
  void skip_blanks() {
    while (at_ < end_) {
      if (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') {
        ++at_;
      } else if (*at_ == '/') {
        skip_comment();
      } else {
        return;
      }
    }
  }

  void skip_lines() {
    for (skip_blanks(); at_ < end_ && *at_ == '\n'; skip_blanks()) ++at_;
  }

  /// Letters, digits and underscores from here on; empty if none.
  std::string_view word() {
    const char* begin = at_;
    while (at_ < end_ && is_word(*at_)) ++at_;
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  /// A whole decimal number of at most `most`, blanks before it skipped. `what`: for messages.
  std::uint64_t number(std::string_view what, std::uint64_t most);

  /// Throws Error for the place `where`.
  [[noreturn]] void fail(const char* where, std::string_view problem, std::string_view why,
                         std::string_view what_to_do) const;

 private:
  void skip_comment();

  std::string_view whole_;
  std::string_view name_;
  const char* at_;
  const char* end_;
};

/// Reads a rank's block of GOAL text from behind its opening brace up to and with the closing one,
/// and adds what it says to `rank`. Throws Error for its place.
void read_goal_block(Cursor& in, std::uint64_t rank_count, GoalRank& rank);

}  // namespace slackline
