#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace slackline::collectives {

inline constexpr std::int32_t kAnyRanks = std::numeric_limits<std::int32_t>::max();

/// Which algorithms a library takes for a number of ranks, by size.
struct RankRow {
  std::int32_t ranks;           ///< the row is for fewer, or no more: as each table says
  std::string_view algorithms;  ///< as algorithm_for_bytes() reads them
};

/// What a text such as "ring<8 rdb<=4096 pair" has for `bytes`: ring below 8 bytes, rdb up to 4096,
/// else pair. Linear in the text, which must end with a word without a limit.
std::string_view algorithm_for_bytes(std::string_view algorithms, std::uint64_t bytes);

}  // namespace slackline::collectives
