#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/text/lexer.h"

namespace slackline::text {

/// Reads what follows an operation's word on its line. Keeps its buffers from line to line.
class CallReader {
 public:
  explicit CallReader(const Lexer& lexer) : lexer_(lexer) {}

  /// How many frames the trace's call tree has: calls may name no others.
  void set_frames(std::size_t frames) { frames_ = static_cast<std::int64_t>(frames); }
  /// Everything of the call but its times. `word` is the operation's token, for messages. The
  /// result's args are valid until the next call of read().
  Call read(Operation operation, const Token& word, std::span<const Token> rest);
  /// The collectives that the call begins, if it starts persistent ones: as in a recording, calls
  /// of their own, in their nonblocking form, before it. Without times; valid as read()'s result.
  std::span<const Call> begun() const { return begun_; }

 private:
  struct KeyValue {
    std::string_view key;
    Token value;
    bool used = false;
  };

  void collect(std::span<const Token> rest);
  void read_flag(Call& call, const Token& token);
  std::optional<Token> take(std::string_view key);
  Token require(std::string_view key, std::string_view example);
  std::int32_t peer(const Token& token) const;
  std::int32_t tag(const Token& token) const;

  void read_common(Call& call);
  void read_args(const Call& call);
  void read_polls();
  void read_sendrecv();
  void read_starts();
  Operation nonblocking_form(const Token& persistent) const;
  void read_send_recv();
  void read_neighbours();
  void read_pairs(std::string_view key);
  void read_list(std::string_view key, std::string_view what);
  [[noreturn]] void fail_unknown_key(const Call& call, const KeyValue& kv) const;

  const Lexer& lexer_;
  Token operation_word_;
  std::vector<KeyValue> keys_;
  std::vector<Token> parts_, fields_;
  std::vector<std::int64_t> args_;
  std::vector<Call> begun_;
  std::int64_t receive_flags_ = 0;
  bool is_sendrecv_ = false;
  std::int64_t frames_ = 0;
};

}  // namespace slackline::text
