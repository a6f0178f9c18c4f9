#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/text/form.h"

namespace slackline::text {

/// A word of a line, quotes and escapes still in it, and where it stands.
struct Token {
  std::string_view text;
  std::size_t column = 0;  ///< from 1

  /// The rest of the token from `offset` on.
  Token from(std::size_t offset) const { return {text.substr(offset), column + offset}; }
};

/// Cuts a text into lines and words, reads values, and knows what to say when they are wrong.
class Lexer {
 public:
  Lexer(std::string_view text, std::string_view name) : rest_(text), name_(name) {}

  /// Moves to the next line that is neither blank nor only a comment; its words are then in
  /// tokens(). False at the end.
  bool next_line();
  std::span<const Token> tokens() const { return tokens_; }

  /// Throws Error "name:line:column: problem: reason. What to do."
  [[noreturn]] void fail(const Token& at, std::string_view problem, std::string_view why,
                         std::string_view what_to_do = {}) const;
  /// As fail(), for the place after the last word.
  [[noreturn]] void fail_at_end(std::string_view problem, std::string_view why,
                                std::string_view what_to_do = {}) const;

  std::int64_t integer(const Token& token, std::string_view what, std::int64_t least,
                       std::int64_t most) const;
  std::uint64_t unsigned_integer(const Token& token, std::string_view what) const;
  /// A time in ns: within kTimeLimit_ns of zero.
  std::int64_t time(const Token& token, std::string_view what) const;
  double real(const Token& token, std::string_view what) const;
  /// One of `words`, or an integer within the bounds.
  std::int64_t named(const Token& token, std::span<const NamedValue> words, std::string_view what,
                     std::int64_t least, std::int64_t most) const;
  /// A bare word or a quoted text.
  std::string text(const Token& token) const;

  /// "1,4,8*64,0..10/2" appended to `values`; each repetition or range gives at most `run_limit`.
  void list(const Token& token, std::string_view what, std::int64_t run_limit,
            std::vector<std::int64_t>& values) const;
  /// The parts of `token` between `separator`s; none of an empty token.
  static void split(const Token& token, char separator, std::vector<Token>& parts);

 private:
  void cut(std::string_view line);
  void list_item(const Token& item, std::string_view what, std::int64_t run_limit,
                 std::vector<std::int64_t>& values) const;

  std::string_view rest_;
  std::string_view name_;
  std::size_t line_number_ = 0;
  std::size_t line_length_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace slackline::text
