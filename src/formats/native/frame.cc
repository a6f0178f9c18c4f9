#include "formats/native/frame.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include "base/error.h"

namespace slackline::native {
namespace {

constexpr int kCompressionLevel = 1;
constexpr std::uint16_t kFlagZstd = 1;
// A zstd "skippable frame": its header, and what it wraps is ignored by every decoder.
constexpr std::uint32_t kSkippableMagic = 0x184d2a50u;
constexpr std::size_t kSkippableHeaderBytes = 8;

struct FreeCompressor {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
struct FreeDecompressor {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

ZSTD_CCtx* compressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeCompressor> context(ZSTD_createCCtx());
  return context.get();
}

ZSTD_DCtx* decompressor() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeDecompressor> context(ZSTD_createDCtx());
  return context.get();
}

// Lengthens what compressed better than kMaxRatio, so that readers may trust the ratio.
void pad(ByteWriter& out, std::size_t frame_begin, std::uint64_t raw_bytes) {
  const std::size_t frame_bytes = out.size() - frame_begin;
  const std::size_t least = static_cast<std::size_t>((raw_bytes + kMaxRatio - 1) / kMaxRatio);
  if (frame_bytes >= least) return;
  const std::size_t missing = least - frame_bytes;
  const std::size_t zeros = missing > kSkippableHeaderBytes ? missing - kSkippableHeaderBytes : 0;
  out.fixed(kSkippableMagic);
  out.fixed(static_cast<std::uint32_t>(zeros));
  out.zeros(zeros);
}

bool keeps_to_ratio(const FrameHeader& header) {
  return header.raw_bytes / kMaxRatio <= header.stored_bytes + kFrameHeaderBytes;
}

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

void append_frame(ByteWriter& out, FrameHeader header, std::span<const std::byte> payload) {
  const std::size_t begin = out.size();
  out.zeros(kFrameHeaderBytes);
  const std::size_t bound = ZSTD_compressBound(payload.size());
  std::byte* const to = out.grow(bound);
  const std::size_t written =
      ZSTD_compressCCtx(compressor(), to, bound, payload.data(), payload.size(), kCompressionLevel);
  ensures(ZSTD_isError(written) == 0, "zstd compresses into a buffer of its own bound");
  out.shrink(begin + kFrameHeaderBytes + written);
  pad(out, begin, payload.size());

  const auto stored = out.bytes().subspan(begin + kFrameHeaderBytes);
  ByteWriter head;
  head.fixed(kFrameMagic);
  head.fixed(header.kind);
  head.fixed(kFlagZstd);
  head.fixed(header.rank);
  head.fixed(header.sequence);
  head.fixed(header.count);
  head.fixed(header.first);
  head.fixed(static_cast<std::uint64_t>(payload.size()));
  head.fixed(static_cast<std::uint64_t>(stored.size()));
  head.fixed(checksum(stored));
  head.fixed(checksum(head.bytes()));
  out.overwrite(begin, head.bytes());
}

std::optional<FrameHeader> frame_at(std::span<const std::byte> file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < kFrameHeaderBytes) return std::nullopt;
  const auto bytes = file.subspan(static_cast<std::size_t>(offset), kFrameHeaderBytes);
  ByteReader in(bytes);
  if (in.fixed<std::uint64_t>() != kFrameMagic) return std::nullopt;
  FrameHeader header;
  header.kind = in.fixed<std::uint16_t>();
  const auto flags = in.fixed<std::uint16_t>();
  header.rank = in.fixed<std::uint32_t>();
  header.sequence = in.fixed<std::uint32_t>();
  header.count = in.fixed<std::uint32_t>();
  header.first = in.fixed<std::uint64_t>();
  header.raw_bytes = in.fixed<std::uint64_t>();
  header.stored_bytes = in.fixed<std::uint64_t>();
  header.checksum = in.fixed<std::uint64_t>();
  const auto own = in.fixed<std::uint64_t>();
  if (own != checksum(bytes.first(kFrameHeaderBytes - sizeof own)) || flags != kFlagZstd ||
      header.stored_bytes > file.size() - offset - kFrameHeaderBytes || !keeps_to_ratio(header)) {
    return std::nullopt;
  }
  return header;
}

std::optional<Payload> payload_at(std::span<const std::byte> file, std::uint64_t offset,
                                  const FrameHeader& header) {
  const auto stored = file.subspan(static_cast<std::size_t>(offset) + kFrameHeaderBytes,
                                   static_cast<std::size_t>(header.stored_bytes));
  if (checksum(stored) != header.checksum) return std::nullopt;
  const auto size = static_cast<std::size_t>(header.raw_bytes);
  Payload payload{std::make_unique_for_overwrite<std::byte[]>(size), size};
  const std::size_t got =
      ZSTD_decompressDCtx(decompressor(), payload.data.get(), size, stored.data(), stored.size());
  if (ZSTD_isError(got) != 0 || got != size) return std::nullopt;
  return payload;
}

void append_file_header(ByteWriter& out) {
  ByteWriter head;
  head.fixed(kFileMagic);
  head.fixed(kMajorVersion);
  head.fixed(kMinorVersion);
  head.fixed(static_cast<std::uint32_t>(kFileHeaderBytes));
  head.fixed(std::uint64_t{0});
  head.fixed(checksum(head.bytes()));
  out.raw(head.bytes());
}

std::optional<FileHeader> file_header(std::span<const std::byte> file) {
  if (file.size() < kFileHeaderBytes) return std::nullopt;
  ByteReader in(file.first(kFileHeaderBytes));
  const auto magic = in.fixed<std::uint64_t>();
  FileHeader header;
  header.major = in.fixed<std::uint16_t>();
  header.minor = in.fixed<std::uint16_t>();
  in.fixed<std::uint32_t>();
  in.fixed<std::uint64_t>();
  const auto own = in.fixed<std::uint64_t>();
  if (magic != kFileMagic || own != checksum(file.first(kFileHeaderBytes - sizeof own))) {
    return std::nullopt;
  }
  return header;
}

void append_footer(ByteWriter& out, std::uint64_t index_offset) {
  ByteWriter foot;
  foot.fixed(index_offset);
  foot.fixed(std::uint64_t{0});
  foot.fixed(kFooterMagic);
  foot.fixed(checksum(foot.bytes()));
  out.raw(foot.bytes());
}

std::optional<std::uint64_t> footer_index(std::span<const std::byte> file) {
  if (file.size() < kFooterBytes) return std::nullopt;
  const auto foot = file.last(kFooterBytes);
  ByteReader in(foot);
  const auto offset = in.fixed<std::uint64_t>();
  in.fixed<std::uint64_t>();
  const auto magic = in.fixed<std::uint64_t>();
  const auto own = in.fixed<std::uint64_t>();
  if (magic != kFooterMagic || own != checksum(foot.first(kFooterBytes - sizeof own))) {
    return std::nullopt;
  }
  return offset;
}

void append_part(ByteWriter& out, std::uint64_t id, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  out.varint(id);
  out.varint(bytes.size());
  out.raw(bytes);
}

}  // namespace slackline::native
