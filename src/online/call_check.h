#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trace/online_wire.h"

namespace slackline::online {

/// What a call that a process hands over may name.
struct CallLimits {
  std::int32_t ranks = 0;
  std::size_t members = 0;  ///< of its communicator
  bool is_member = false;   ///< that the rank is one of; false: no communicator has that number
  std::uint64_t shared_bytes = 0;  ///< of the memory that all processes share
};

/// A process may write over what it shares with the simulator; its library never hands over what
/// this refuses. `list`: the words of `lists` that the call names. Throws Error, which names the
/// rank. O(list).
void check_call(std::int32_t rank, const slk_online_call& call, std::span<const std::int64_t> list,
                const CallLimits& limits);

/// The words of `lists` that the call names. Throws Error as check_call().
std::span<const std::int64_t> list_of(std::int32_t rank, const slk_online_call& call,
                                      const slk_online_rank& area);

/// `words[at++] = value`. Throws Error where the answer of one call is longer than all words.
void put_word(std::span<std::int64_t> words, std::size_t& at, std::int64_t value);

}  // namespace slackline::online
