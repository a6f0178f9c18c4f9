#include "formats/text/call_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

namespace slackline::text {
namespace {

constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMaxUint32 = std::numeric_limits<std::uint32_t>::max();

constexpr std::size_t kMostKeys = 16;
constexpr std::size_t kStartFields = 6;  // of a started request, with its communicator

std::string_view args_keys(ArgsForm form) {
  switch (form) {
    case ArgsForm::requests:
      return ", reqs (or polls and inside of a failed test)";
    case ArgsForm::sendrecv:
      return ", from, rtag, rbytes";
    case ArgsForm::starts:
      return ", starts";
    case ArgsForm::counts:
      return ", counts";
    case ArgsForm::send_recv:
      return ", send, recv";
    case ArgsForm::neighbours:
      return ", out, in";
    case ArgsForm::new_comm:
      return ", new";
    case ArgsForm::level:
      return ", level";
    case ArgsForm::plain:
      break;
  }
  return "";
}

}  // namespace

Call CallReader::read(Operation operation, const Token& word, std::span<const Token> rest) {
  Call call{.operation = operation};
  operation_word_ = word;
  args_.clear();
  begun_.clear();
  receive_flags_ = 0;
  is_sendrecv_ = operation_class(operation) == OperationClass::sendrecv;
  collect(rest);
  for (const Token& token : parts_) read_flag(call, token);
  read_common(call);
  read_args(call);
  for (const KeyValue& kv : keys_) {
    if (!kv.used) fail_unknown_key(call, kv);
  }
  call.args = args_;
  return call;
}

// Splits the words into key=value (keys_) and bare words (parts_).
void CallReader::collect(std::span<const Token> rest) {
  keys_.clear();
  parts_.clear();
  for (const Token& token : rest) {
    const std::size_t equals = token.text.find('=');
    if (equals == std::string_view::npos) {
      parts_.push_back(token);
      continue;
    }
    const std::string_view key = token.text.substr(0, equals);
    if (std::ranges::find(keys_, key, &KeyValue::key) != keys_.end()) {
      lexer_.fail(token, fmt::format("'{}' is given twice", key), "each key has one value");
    }
    if (keys_.size() == kMostKeys)
      lexer_.fail(token, "too many keys", "no operation has that many");
    keys_.push_back({key, token.from(equals + 1)});
  }
}

void CallReader::read_flag(Call& call, const Token& token) {
  const auto flag = std::ranges::find(kFlagWords, token.text, &FlagWord::word);
  if (flag != kFlagWords.end()) {
    call.flags |= static_cast<std::uint8_t>(flag->flag);
    return;
  }
  const auto receive = std::ranges::find(kReceiveFlagWords, token.text, &FlagWord::word);
  if (is_sendrecv_ && receive != kReceiveFlagWords.end()) {
    receive_flags_ |= receive->flag;
    return;
  }
  std::string known;
  for (const FlagWord& word : kFlagWords) known += fmt::format(" {}", word.word);
  lexer_.fail(token, fmt::format("unknown word '{}'", token.text),
              fmt::format("an operation takes key=value pairs, and the words{}", known));
}

std::optional<Token> CallReader::take(std::string_view key) {
  const auto found = std::ranges::find(keys_, key, &KeyValue::key);
  if (found == keys_.end()) return std::nullopt;
  found->used = true;
  return found->value;
}

Token CallReader::require(std::string_view key, std::string_view example) {
  const auto value = take(key);
  if (value) return *value;
  lexer_.fail(operation_word_, fmt::format("{} without {}=", operation_word_.text, key),
              "the one requires the other", fmt::format("Add {}={}.", key, example));
}

std::int32_t CallReader::peer(const Token& token) const {
  return static_cast<std::int32_t>(lexer_.named(token, kPeerWords, "rank",
                                                std::numeric_limits<std::int32_t>::min(),
                                                std::numeric_limits<std::int32_t>::max()));
}

std::int32_t CallReader::tag(const Token& token) const {
  return static_cast<std::int32_t>(lexer_.named(token, kTagWords, "tag",
                                                std::numeric_limits<std::int32_t>::min(),
                                                std::numeric_limits<std::int32_t>::max()));
}

void CallReader::read_common(Call& call) {
  const std::string_view peer_word = peer_key(call.operation);
  if (needs_peer(call.operation)) {
    call.peer = peer(require(peer_word, "RANK"));
  } else if (const auto value = take(peer_word)) {
    call.peer = peer(*value);
  }
  if (const auto value = take(tag_key(call.operation))) call.tag = tag(*value);
  if (const auto value = take("bytes")) call.bytes = lexer_.unsigned_integer(*value, "byte count");
  if (const auto value = take("comm")) {
    call.comm =
        static_cast<std::uint32_t>(lexer_.named(*value, kCommWords, "communicator", 0, kMaxUint32));
  }
  const auto request = needs_request(call.operation) ? require("req", "NUMBER") : take("req");
  if (request) {
    call.request = static_cast<std::uint32_t>(lexer_.integer(*request, "request", 0, kMaxUint32));
  }
  if (const auto value = take("thread")) {
    call.thread = static_cast<std::uint16_t>(
        lexer_.integer(*value, "thread", 0, std::numeric_limits<std::uint16_t>::max()));
  }
  if (const auto value = take("frame")) {
    call.frame = static_cast<FrameId>(lexer_.integer(*value, "frame", 0, frames_));
  }
}

void CallReader::read_args(const Call& call) {
  if (const auto value = take("args")) {
    lexer_.list(*value, "argument", kRunLimit, args_);
    return;
  }
  if (counts_polls(call.operation, call.flags)) {
    read_polls();
    return;
  }
  switch (args_form(call.operation)) {
    case ArgsForm::requests:
      read_list("reqs", "request");
      return;
    case ArgsForm::sendrecv:
      read_sendrecv();
      return;
    case ArgsForm::starts:
      read_starts();
      return;
    case ArgsForm::counts:
      read_list("counts", "byte count");
      return;
    case ArgsForm::send_recv:
      read_send_recv();
      return;
    case ArgsForm::neighbours:
      read_neighbours();
      return;
    case ArgsForm::new_comm:
      if (const auto value = take("new")) {
        args_.push_back(lexer_.named(*value, kCommWords, "communicator", 0, kMaxUint32));
      }
      return;
    case ArgsForm::level:
      if (const auto value = take("level")) {
        args_.push_back(lexer_.integer(*value, "level", kMinInt64, kMaxInt64));
      }
      return;
    case ArgsForm::plain:
      return;
  }
}

void CallReader::read_list(std::string_view key, std::string_view what) {
  if (const auto value = take(key)) lexer_.list(*value, what, kRunLimit, args_);
}

void CallReader::read_polls() {
  const auto polls = take("polls");
  const auto inside = take("inside");
  if (!polls && !inside) return;
  args_.push_back(polls ? lexer_.integer(*polls, "number of polls", kMinInt64, kMaxInt64) : 1);
  args_.push_back(inside ? lexer_.integer(*inside, "time inside", kMinInt64, kMaxInt64) : 0);
}

void CallReader::read_sendrecv() {
  const std::int32_t source = peer(require("from", "RANK"));
  const auto receive_tag = take("rtag");
  const auto received = take("rbytes");
  args_.push_back(source);
  args_.push_back(receive_tag ? tag(*receive_tag) : 0);
  args_.push_back(received ? lexer_.integer(*received, "byte count", 0, kMaxInt64) : 0);
  args_.push_back(receive_flags_);
}

void CallReader::read_starts() {
  const auto value = take("starts");
  if (!value) return;
  Lexer::split(*value, ',', parts_);
  for (const Token& part : parts_) {
    Lexer::split(part, ':', fields_);
    if (fields_.size() != kStartFields && fields_.size() != kStartFields - 1) {
      lexer_.fail(part, fmt::format("invalid started request '{}'", part.text),
                  "the syntax is REQUEST:OPERATION:PEER:TAG:BYTES, and :COMM if that is not 0",
                  "Example: starts=1:send_init:3:0:8.");
    }
    const auto operation = operation_of_word(fields_[1].text);
    if (!operation) {
      lexer_.fail(fields_[1], fmt::format("unknown operation '{}'", fields_[1].text),
                  "send_init, recv_init, barrier_init or the like is required");
    }
    const auto serial =
        static_cast<std::uint32_t>(lexer_.integer(fields_[0], "request", 0, kMaxUint32));
    const std::int32_t other = peer(fields_[2]);
    const std::int32_t its_tag = tag(fields_[3]);
    const std::int64_t bytes = lexer_.integer(fields_[4], "byte count", 0, kMaxInt64);
    const auto comm = static_cast<std::uint32_t>(
        fields_.size() < kStartFields
            ? kCommWorld
            : lexer_.named(fields_[5], kCommWords, "communicator", 0, kMaxUint32));
    if (operation_class(*operation) != OperationClass::request_init) {
      Call& collective = begun_.emplace_back();
      collective.operation = nonblocking_form(fields_[1]);
      collective.request = serial;
      collective.peer = other;
      collective.tag = its_tag;
      collective.bytes = static_cast<std::uint64_t>(bytes);
      collective.comm = comm;
      continue;
    }
    args_.insert(args_.end(),
                 {serial, static_cast<std::int64_t>(*operation), other, its_tag, bytes, comm});
  }
}

// ibarrier of barrier_init.
Operation CallReader::nonblocking_form(const Token& persistent) const {
  constexpr std::string_view kInit = "_init";
  if (persistent.text.ends_with(kInit)) {
    const std::string word =
        fmt::format("i{}", persistent.text.substr(0, persistent.text.size() - kInit.size()));
    const auto operation = operation_of_word(word);
    if (operation && operation_class(*operation) == OperationClass::icollective) return *operation;
  }
  lexer_.fail(persistent, fmt::format("'{}' makes no persistent request", persistent.text),
              "send_init, recv_init, barrier_init or the like is required");
}

void CallReader::read_send_recv() {
  const auto sent = take("send");
  const auto received = take("recv");
  if (!sent && !received) return;
  if (sent) lexer_.list(*sent, "byte count", kRunLimit, args_);
  const std::size_t half = args_.size();
  if (received) lexer_.list(*received, "byte count", kRunLimit, args_);
  if (args_.size() != 2 * half) {
    lexer_.fail(received ? *received : *sent, "send= and recv= differ in length",
                fmt::format("{} and {} values", half, args_.size() - half),
                "Write one value for each rank of the communicator in both.");
  }
}

void CallReader::read_neighbours() {
  const auto has = [&](std::string_view key) {
    return std::ranges::find(keys_, key, &KeyValue::key) != keys_.end();
  };
  if (!has("out") && !has("in")) return;
  read_pairs("out");
  read_pairs("in");
}

void CallReader::read_pairs(std::string_view key) {
  const auto value = take(key);
  parts_.clear();
  if (value) Lexer::split(*value, ',', parts_);
  args_.push_back(static_cast<std::int64_t>(parts_.size()));
  for (const Token& part : parts_) {
    Lexer::split(part, ':', fields_);
    if (fields_.size() != 2) {
      lexer_.fail(part, fmt::format("invalid neighbour '{}'", part.text),
                  "the syntax is RANK:BYTES", "Example: out=1:8,3:8.");
    }
    args_.push_back(peer(fields_[0]));
    args_.push_back(lexer_.integer(fields_[1], "byte count", kMinInt64, kMaxInt64));
  }
}

void CallReader::fail_unknown_key(const Call& call, const KeyValue& kv) const {
  const std::string_view word = operation_word_.text;
  lexer_.fail({kv.key, kv.value.column - kv.key.size() - 1},
              fmt::format("unknown key '{}' of {}", kv.key, word),
              fmt::format("{} takes {}, {}, bytes, comm, req, thread{}, args", word,
                          peer_key(call.operation), tag_key(call.operation),
                          args_keys(args_form(call.operation))));
}

}  // namespace slackline::text
