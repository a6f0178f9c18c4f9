#include "formats/native/writer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/parallel.h"
#include "formats/native/block.h"
#include "formats/native/description.h"
#include "formats/native/details.h"

namespace slackline {

using native::ByteWriter;
using native::FrameHeader;
using native::FrameKind;

static_assert(NativeWriter::kBlockCalls == native::kBlockCalls);

namespace {

// Blocks that are compressed together before they are written: enough for any number of threads,
// and little memory.
constexpr std::size_t kBatch = 32;

FrameHeader header_of(FrameKind kind) {
  FrameHeader header;
  header.kind = static_cast<std::uint16_t>(kind);
  return header;
}

}  // namespace

struct NativeWriter::Block {
  const RankCalls& calls;
  native::BlockRange range;
  FrameHeader header;
};

NativeWriter::NativeWriter(const Trace& job, std::vector<std::uint64_t> calls,
                           const Samples& samples,
                           std::function<void(std::span<const std::byte>)> sink)
    : job_(job),
      calls_(std::move(calls)),
      samples_(samples),
      sink_(std::move(sink)),
      of_rank_(static_cast<std::size_t>(job.ranks())) {
  expects(calls_.size() == of_rank_.size(), "a number of calls for each rank");
  ByteWriter head;
  native::append_file_header(head);
  put(head);
  // At the front so that a truncated file has it, at the end so that a damaged one has it.
  write_description();
}

void NativeWriter::write(std::span<const RankCallsPart> parts) {
  const std::vector<Block> blocks = next_blocks(parts);
  std::vector<ByteWriter> frames(std::min(kBatch, blocks.size()));
  for (std::size_t begin = 0; begin < blocks.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, blocks.size() - begin);
    parallel_for(count, [&](std::size_t i) {
      const Block& block = blocks[begin + i];
      ByteWriter payload;
      native::encode_block(block.calls, block.range, payload);
      frames[i].clear();
      native::append_frame(frames[i], block.header, payload.bytes());
    });
    for (std::size_t i = 0; i < count; ++i) put_frame(blocks[begin + i].header, frames[i]);
  }
}

void NativeWriter::finish() {
  for (std::size_t rank = 0; rank < calls_.size(); ++rank) {
    expects(of_rank_[rank].calls == calls_[rank], "as many calls of each rank as were announced");
  }
  write_details();
  write_description();
  write_index();
}

std::vector<NativeWriter::Block> NativeWriter::next_blocks(std::span<const RankCallsPart> parts) {
  std::vector<Block> blocks;
  for (const RankCallsPart& part : parts) {
    Written& written = of_rank_[static_cast<std::size_t>(part.rank)];
    native::BlockRange range;
    for (;;) {
      range = native::next_block(part.calls, range.first + range.count,
                                 range.first_region + range.region_count);
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

void NativeWriter::put(const ByteWriter& bytes) {
  sink_(bytes.bytes());
  written_ += bytes.size();
}

void NativeWriter::put_frame(const FrameHeader& header, const ByteWriter& frame) {
  index_.varint(written_ - last_offset_);
  index_.varint(header.kind);
  index_.varint(header.rank);
  index_.varint(header.sequence);
  index_.varint(header.first);
  index_.varint(header.count);
  last_offset_ = written_;
  put(frame);
}

void NativeWriter::write_description() {
  ByteWriter payload, frame;
  native::encode_description(job_, calls_, samples_, payload);
  const FrameHeader header = header_of(FrameKind::description);
  native::append_frame(frame, header, payload.bytes());
  put_frame(header, frame);
}

void NativeWriter::write_details() {
  for (std::int32_t rank = 0; rank < job_.ranks(); ++rank) {
    if (!native::has_details(job_, samples_, rank)) continue;
    ByteWriter payload, frame;
    native::encode_details(job_, samples_, rank, payload);
    FrameHeader header = header_of(FrameKind::details);
    header.rank = static_cast<std::uint32_t>(rank);
    header.first = calls_[static_cast<std::size_t>(rank)];
    native::append_frame(frame, header, payload.bytes());
    put_frame(header, frame);
  }
}

void NativeWriter::write_index() {
  const std::uint64_t offset = written_;
  ByteWriter tail;
  native::append_frame(tail, header_of(FrameKind::index), index_.bytes());
  native::append_footer(tail, offset);
  put(tail);
}

void write_native(const Trace& trace, const std::function<void(std::span<const std::byte>)>& sink,
                  const Samples& samples) {
  std::vector<std::uint64_t> calls;
  std::vector<RankCallsPart> parts;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    calls.push_back(trace.calls(rank).size());
    parts.push_back({rank, trace.calls(rank)});
  }
  NativeWriter writer(trace, std::move(calls), samples, sink);
  writer.write(parts);
  writer.finish();
}

void write_native(const Trace& trace, const std::filesystem::path& path, const Samples& samples) {
  OutputFile file(path, FileAccess::owner_only);
  write_native(
      trace, [&](std::span<const std::byte> bytes) { file.write(bytes); }, samples);
  file.commit();
}

}  // namespace slackline
