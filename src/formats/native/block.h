#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/native/bytes.h"
#include "trace/trace.h"

namespace slackline::native {

/// Calls of one block, at most, unless something else is asked for.
inline constexpr std::size_t kBlockCalls = 65536;
/// A block also ends once its calls have this many arguments.
inline constexpr std::size_t kBlockArguments = std::size_t{1} << 20;

/// Which calls and region events of a rank one block holds.
struct BlockRange {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t first_region = 0;
  std::size_t region_count = 0;
};

/// The block that begins with call `first` and region event `first_region`. The rank's last block
/// also has the events after the last call.
BlockRange next_block(const RankCalls& calls, std::size_t first, std::size_t first_region,
                      std::size_t most_calls = kBlockCalls);

/// Appends the payload of that block: at least 5 M calls/s.
void encode_block(const RankCalls& calls, const BlockRange& range, ByteWriter& out);

struct DecodedBlock {
  std::size_t calls = 0;                 ///< appended, fewer than promised when the rest is damaged
  bool complete = false;                 ///< everything was understood
  std::uint64_t unknown_operations = 0;  ///< of a newer minor version; appended as Operation::none
};

/// How many regions and frames of the call tree the trace knows; blocks may name no others.
struct NameCounts {
  std::size_t regions = 0;
  std::size_t frames = 0;
};

/// Appends a block's calls and region events to `calls`. `count` is what the frame's header
/// promises. At least 10 M calls/s.
DecodedBlock decode_block(std::span<const std::byte> payload, std::size_t count,
                          const NameCounts& names, RankCallsBuilder& calls);

}  // namespace slackline::native
