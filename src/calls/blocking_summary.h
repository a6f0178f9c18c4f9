#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace slackline {

/// All ranks' calls of one function that may block, from one place, about one file.
struct BlockingSummary {
  BlockingCalls sum;    ///< `frame`: of the program's own function
  std::string where{};  ///< that frame; empty: unknown
  std::int32_t ranks = 0;
  std::int32_t last_rank = -1;

  /// Bytes per second of the time in the calls; 0 where nothing was moved.
  double rate() const;
};

/// The blocking calls of a rank.
using BlockingOfRank = std::function<std::span<const BlockingCalls>(std::int32_t rank)>;

/// Most time first. `job`: has the ranks and the call tree. O(rows log rows).
std::vector<BlockingSummary> blocking_summary(const Trace& job, const BlockingOfRank& of_rank);
std::vector<BlockingSummary> blocking_summary(const Trace& trace);

/// "I/O", "asleep", "waiting for a device"
std::string_view name(BlockingKind kind);

/// What one kind of blocking calls makes of the ranks' time.
struct BlockingShare {
  std::string share;   ///< "I/O 12.3 %"
  std::string detail;  ///< ", 4.1 GiB, 380.0 MiB/s, most in write_restart (app.c:12)"
};

/// The kinds' shares of `all_ns`, or of all such time if that is more, the largest first, without
/// those below `least`. `value`: their time, or their time blocked.
std::vector<BlockingShare> blocking_shares(const Trace& trace, double all_ns, double least,
                                           std::int64_t BlockingCalls::*value);

}  // namespace slackline
