#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "formats/native/block.h"
#include "formats/native/bytes.h"
#include "formats/native/frame.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline::native {

/// What the index says of a frame.
struct IndexEntry {
  std::uint64_t offset;
  std::uint32_t kind;
  std::uint32_t rank;
  std::uint32_t sequence;
  std::uint32_t count;
  std::uint64_t first;
};

/// Some of a rank's calls, with their region events, numbered from 0 in them.
struct CallsPart {
  std::int32_t rank;
  const RankCalls& calls;
};

/// Frames that are written one after the other, and what the index will say of them.
class FrameStream {
 public:
  using Sink = std::function<void(std::span<const std::byte>)>;

  /// Offsets count from the first byte that is put here. A block has `block_calls` calls at most.
  FrameStream(std::int32_t ranks, Sink sink, std::size_t block_calls = kBlockCalls)
      : sink_(std::move(sink)),
        block_calls_(block_calls),
        of_rank_(static_cast<std::size_t>(ranks)) {}

  void put(const ByteWriter& bytes);
  void put_frame(FrameHeader header, const ByteWriter& payload);
  /// The next calls of these ranks, in blocks. These are compressed in parallel, up to 32 in memory
  /// at once.
  void put_calls(std::span<const CallsPart> parts);
  /// Nothing where the rank has no details.
  void put_details(const Trace& trace, const Samples& samples, std::int32_t rank);

  std::uint64_t written() const { return written_; }
  std::uint64_t calls_written(std::size_t rank) const { return of_rank_[rank].calls; }
  const std::vector<IndexEntry>& entries() const { return entries_; }

 private:
  struct Block;
  struct Written {
    std::uint64_t calls = 0;
    std::uint32_t blocks = 0;
  };

  std::vector<Block> next_blocks(std::span<const CallsPart> parts);
  void put_compressed(const FrameHeader& header, const ByteWriter& frame);

  const Sink sink_;
  const std::size_t block_calls_;
  std::vector<Written> of_rank_;
  std::vector<IndexEntry> entries_;
  std::uint64_t written_ = 0;
};

FrameHeader header_of(FrameKind kind);

/// Appends the index, which will stand at `offset`, and the footer.
void append_index(std::span<const IndexEntry> entries, std::uint64_t offset, ByteWriter& out);

}  // namespace slackline::native
