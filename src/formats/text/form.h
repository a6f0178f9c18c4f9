#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/trace.h"

namespace slackline::text {

// What reader and writer of the text form agree on: which keys an operation has.

inline constexpr std::string_view kMagic = "slackline-trace";
inline constexpr int kVersion = 1;

/// How an operation's arguments are spelled.
enum class ArgsForm {
  plain,       ///< args=1,2,3
  requests,    ///< reqs=1..26
  sendrecv,    ///< from= rtag= rbytes= recv_any_source recv_any_tag
  starts,      ///< starts=1:send_init:3:0:8, with the communicator after it unless it is 0
  counts,      ///< counts=8*64
  send_recv,   ///< send=8,8 recv=8,8
  neighbours,  ///< out=1:8,2:8 in=1:8
  new_comm,    ///< new=2
  level,       ///< level=2
};

ArgsForm args_form(Operation operation);

/// "to", "from", "root", "target" or "peer".
std::string_view peer_key(Operation operation);
/// An operation whose line is not understandable without its peer.
bool needs_peer(Operation operation);
/// "tag", or "elem" where the field is an element's size.
std::string_view tag_key(Operation operation);
/// An operation that starts a request has a serial.
bool needs_request(Operation operation);

/// Bare words of a line, by flag.
struct FlagWord {
  slk_flag flag;
  std::string_view word;
};
inline constexpr std::array<FlagWord, 8> kFlagWords{{
    {SLK_FLAG_ANY_SOURCE, "any_source"},
    {SLK_FLAG_ANY_TAG, "any_tag"},
    {SLK_FLAG_FAILED, "failed"},
    {SLK_FLAG_CANCELLED, "cancelled"},
    {SLK_FLAG_IN_PLACE, "in_place"},
    {SLK_FLAG_NON_COMMUTATIVE, "non_commutative"},
    {SLK_FLAG_UNFINISHED, "unfinished"},
    {SLK_FLAG_INTERCOMM, "intercomm"},
}};
/// The flags of the receive half of a sendrecv.
inline constexpr std::array<FlagWord, 2> kReceiveFlagWords{{
    {SLK_FLAG_ANY_SOURCE, "recv_any_source"},
    {SLK_FLAG_ANY_TAG, "recv_any_tag"},
}};

/// Values that have a word instead of a number.
struct NamedValue {
  std::int64_t value;
  std::string_view word;
};
inline constexpr std::array<NamedValue, 4> kPeerWords{
    {{kPeerNone, "none"}, {kPeerNull, "null"}, {kPeerAny, "any"}, {kPeerRoot, "root"}}};
inline constexpr std::array<NamedValue, 1> kTagWords{{{kTagAny, "any"}}};
inline constexpr std::array<NamedValue, 3> kCommWords{
    {{kCommWorld, "world"}, {kCommSelf, "self"}, {kCommNull, "null"}}};

/// At most this many values in one repetition or range of a call's list (a short line must not
/// become a large allocation).
inline constexpr std::int64_t kRunLimit = 1024;

/// The operation of that word, "none" included.
std::optional<Operation> operation_of_word(std::string_view word);

/// A failed test or probe: its arguments are polls= and inside=.
bool counts_polls(Operation operation, std::uint8_t flags);

}  // namespace slackline::text
