#include "formats/native/writer.h"

#include <algorithm>
#include <vector>

#include "base/file.h"
#include "base/parallel.h"
#include "formats/native/block.h"
#include "formats/native/description.h"
#include "formats/native/details.h"
#include "formats/native/frame.h"

namespace slackline {
namespace native {
namespace {

// Blocks that are compressed together before they are written: enough for any number of threads,
// and little memory.
constexpr std::size_t kBatch = 32;

struct Block {
  std::int32_t rank;
  std::uint32_t sequence;
  BlockRange range;
};

std::vector<Block> all_blocks(const Trace& trace) {
  std::vector<Block> blocks;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    BlockRange range;
    for (std::uint32_t sequence = 0;; ++sequence) {
      range = next_block(calls, range.first + range.count, range.first_region + range.region_count);
      if (range.count == 0 && range.region_count == 0) break;
      blocks.push_back({rank, sequence, range});
    }
  }
  return blocks;
}

FrameHeader header_of(const Block& block) {
  FrameHeader header;
  header.kind = static_cast<std::uint16_t>(FrameKind::calls);
  header.rank = static_cast<std::uint32_t>(block.rank);
  header.sequence = block.sequence;
  header.count = static_cast<std::uint32_t>(block.range.count);
  header.first = block.range.first;
  return header;
}

class Writer {
 public:
  Writer(const Trace& trace, const Samples& samples,
         const std::function<void(std::span<const std::byte>)>& sink)
      : trace_(trace), samples_(samples), sink_(sink) {}

  void write() {
    ByteWriter head;
    append_file_header(head);
    put(head);
    // At the front so that a truncated file has it, at the end so that a damaged one has it.
    write_description();
    write_calls();
    write_details();
    write_description();
    write_index();
  }

 private:
  void put(const ByteWriter& bytes) {
    sink_(bytes.bytes());
    written_ += bytes.size();
  }

  void note(const FrameHeader& header) {
    index_.varint(written_ - last_offset_);
    index_.varint(header.kind);
    index_.varint(header.rank);
    index_.varint(header.sequence);
    index_.varint(header.first);
    index_.varint(header.count);
    last_offset_ = written_;
  }

  void write_description() {
    ByteWriter payload, frame;
    encode_description(trace_, samples_, payload);
    FrameHeader header;
    header.kind = static_cast<std::uint16_t>(FrameKind::description);
    append_frame(frame, header, payload.bytes());
    note(header);
    put(frame);
  }

  void write_calls() {
    const std::vector<Block> blocks = all_blocks(trace_);
    std::vector<ByteWriter> frames(std::min(kBatch, blocks.size()));
    for (std::size_t begin = 0; begin < blocks.size(); begin += kBatch) {
      const std::size_t count = std::min(kBatch, blocks.size() - begin);
      parallel_for(count, [&](std::size_t i) {
        const Block& block = blocks[begin + i];
        ByteWriter payload;
        encode_block(trace_.calls(block.rank), block.range, payload);
        frames[i].clear();
        append_frame(frames[i], header_of(block), payload.bytes());
      });
      for (std::size_t i = 0; i < count; ++i) {
        note(header_of(blocks[begin + i]));
        put(frames[i]);
      }
    }
  }

  void write_details() {
    for (std::int32_t rank = 0; rank < trace_.ranks(); ++rank) {
      if (!has_details(trace_, samples_, rank)) continue;
      ByteWriter payload, frame;
      encode_details(trace_, samples_, rank, payload);
      FrameHeader header;
      header.kind = static_cast<std::uint16_t>(FrameKind::details);
      header.rank = static_cast<std::uint32_t>(rank);
      header.first = trace_.calls(rank).size();
      append_frame(frame, header, payload.bytes());
      note(header);
      put(frame);
    }
  }

  void write_index() {
    const std::uint64_t offset = written_;
    FrameHeader header;
    header.kind = static_cast<std::uint16_t>(FrameKind::index);
    ByteWriter tail;
    append_frame(tail, header, index_.bytes());
    append_footer(tail, offset);
    put(tail);
  }

  const Trace& trace_;
  const Samples& samples_;
  const std::function<void(std::span<const std::byte>)>& sink_;
  ByteWriter index_;
  std::uint64_t written_ = 0;
  std::uint64_t last_offset_ = 0;
};

}  // namespace
}  // namespace native

void write_native(const Trace& trace, const std::function<void(std::span<const std::byte>)>& sink,
                  const Samples& samples) {
  native::Writer(trace, samples, sink).write();
}

void write_native(const Trace& trace, const std::filesystem::path& path, const Samples& samples) {
  OutputFile file(path, FileAccess::owner_only);
  write_native(
      trace, [&](std::span<const std::byte> bytes) { file.write(bytes); }, samples);
  file.commit();
}

}  // namespace slackline
