#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/rank_calls.h"

namespace slackline {

/// The blocks that one rank moves in a collective call.
struct CollectiveBlocks {
  /// In bytes, as trace/replay_wire.h has them. Empty where one size says all.
  std::vector<std::int64_t> sizes{};
  std::uint64_t room = 0;      ///< bytes of the largest buffer that the call needs
  std::string_view problem{};  ///< why the call cannot be made again; empty if it can
};

/// `own`: the number of ranks of the rank's own group; `peers`: of those that the call speaks of,
/// which of an intercommunicator is the other group.
CollectiveBlocks collective_blocks(const Call& call, std::uint64_t own, std::uint64_t peers);

}  // namespace slackline
