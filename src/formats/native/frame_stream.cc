#include "formats/native/frame_stream.h"

#include <algorithm>

#include "base/parallel.h"
#include "formats/native/description.h"

namespace slackline::native {
namespace {

// Blocks that are compressed together before they are written: enough for any number of threads,
// and little memory.
constexpr std::size_t kBatch = 32;

}  // namespace

struct FrameStream::Block {
  const RankCalls& calls;
  BlockRange range;
  FrameHeader header;
};

FrameHeader header_of(FrameKind kind) {
  FrameHeader header;
  header.kind = static_cast<std::uint16_t>(kind);
  return header;
}

void FrameStream::put(const ByteWriter& bytes) {
  sink_(bytes.bytes());
  written_ += bytes.size();
}

void FrameStream::put_compressed(const FrameHeader& header, const ByteWriter& frame) {
  entries_.push_back(
      {written_, header.kind, header.rank, header.sequence, header.count, header.first});
  put(frame);
}

void FrameStream::put_frame(FrameHeader header, const ByteWriter& payload) {
  ByteWriter frame;
  append_frame(frame, header, payload.bytes());
  put_compressed(header, frame);
}

void FrameStream::put_calls(std::span<const CallsPart> parts) {
  const std::vector<Block> blocks = next_blocks(parts);
  std::vector<ByteWriter> frames(std::min(kBatch, blocks.size()));
  for (std::size_t begin = 0; begin < blocks.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, blocks.size() - begin);
    parallel_for(count, [&](std::size_t i) {
      const Block& block = blocks[begin + i];
      ByteWriter payload;
      encode_block(block.calls, block.range, payload);
      frames[i].clear();
      append_frame(frames[i], block.header, payload.bytes());
    });
    for (std::size_t i = 0; i < count; ++i) put_compressed(blocks[begin + i].header, frames[i]);
  }
}

void FrameStream::put_details(const Trace& trace, const Samples& samples, std::int32_t rank) {
  if (!has_details(trace, samples, rank)) return;
  ByteWriter payload;
  encode_details(trace, samples, rank, payload);
  FrameHeader header = header_of(FrameKind::details);
  header.rank = static_cast<std::uint32_t>(rank);
  header.first = calls_written(static_cast<std::size_t>(rank));
  put_frame(header, payload);
}

std::vector<FrameStream::Block> FrameStream::next_blocks(std::span<const CallsPart> parts) {
  std::vector<Block> blocks;
  for (const CallsPart& part : parts) {
    Written& written = of_rank_[static_cast<std::size_t>(part.rank)];
    BlockRange range;
    for (;;) {
      range = next_block(part.calls, range.first + range.count,
                         range.first_region + range.region_count, block_calls_);
      if (range.count == 0 && range.region_count == 0) break;
      FrameHeader header = header_of(FrameKind::calls);
      header.rank = static_cast<std::uint32_t>(part.rank);
      header.sequence = written.blocks++;
      header.count = static_cast<std::uint32_t>(range.count);
      header.first = written.calls;
      written.calls += range.count;
      blocks.push_back({part.calls, range, header});
    }
  }
  return blocks;
}

void append_index(std::span<const IndexEntry> entries, std::uint64_t offset, ByteWriter& out) {
  ByteWriter payload;
  std::uint64_t last_offset = 0;
  for (const IndexEntry& entry : entries) {
    payload.varint(entry.offset - last_offset);
    payload.varint(entry.kind);
    payload.varint(entry.rank);
    payload.varint(entry.sequence);
    payload.varint(entry.first);
    payload.varint(entry.count);
    last_offset = entry.offset;
  }
  append_frame(out, header_of(FrameKind::index), payload.bytes());
  append_footer(out, offset);
}

}  // namespace slackline::native
