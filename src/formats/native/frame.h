#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "formats/native/bytes.h"

namespace slackline::native {

// The envelope of the native format: a file header, frames, a footer. doc/formats/native.md is
// the description byte by byte.

inline constexpr std::uint64_t kFileMagic = 0x45434152544b4c53ull;    // "SLKTRACE"
inline constexpr std::uint64_t kFrameMagic = 0x0a4d52464b4c5389ull;   // "\x89SLKFRM\n"
inline constexpr std::uint64_t kFooterMagic = 0x4c4941544b4c5389ull;  // "\x89SLKTAIL"
inline constexpr std::uint16_t kMajorVersion = 1;
inline constexpr std::uint16_t kMinorVersion = 6;
inline constexpr std::size_t kFileHeaderBytes = 32;
inline constexpr std::size_t kFrameHeaderBytes = 64;
inline constexpr std::size_t kFooterBytes = 32;
inline constexpr std::uint32_t kNoRank = 0xffffffffu;

/// A frame's payload is at most this many times as long as the whole frame in the file; the writer
/// pads what compresses better. This bounds what a lying file can make a reader allocate.
inline constexpr std::uint64_t kMaxRatio = 64;

enum class FrameKind : std::uint16_t {
  description = 1,  ///< what is known of the whole trace
  calls = 2,        ///< a block of one rank's calls
  index = 3,        ///< where the other frames stand
  details = 4,      ///< of one rank, beside its calls: pauses, counters, samples, its stop
};

struct FrameHeader {
  std::uint16_t kind = 0;  ///< a FrameKind, or something that a newer writer knows
  std::uint32_t rank = kNoRank;
  std::uint32_t sequence = 0;  ///< counts the blocks of a rank
  std::uint32_t count = 0;     ///< calls in the block
  std::uint64_t first = 0;     ///< index of the first of them in the rank
  std::uint64_t raw_bytes = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t checksum = 0;  ///< XXH3-64 of the stored payload
};

std::uint64_t checksum(std::span<const std::byte> bytes);

/// Header and compressed payload. Fills in raw_bytes, stored_bytes and checksum of `header`.
void append_frame(ByteWriter& out, FrameHeader header, std::span<const std::byte> payload);

/// The header at `offset` of `file`, if there is an undamaged one whose payload lies in the file
/// and keeps to kMaxRatio.
std::optional<FrameHeader> frame_at(std::span<const std::byte> file, std::uint64_t offset);

/// A decompressed payload.
struct Payload {
  std::unique_ptr<std::byte[]> data;
  std::size_t size = 0;
  std::span<const std::byte> bytes() const { return {data.get(), size}; }
};

/// The payload of the frame at `offset`; empty when it is damaged.
std::optional<Payload> payload_at(std::span<const std::byte> file, std::uint64_t offset,
                                  const FrameHeader& header);

void append_file_header(ByteWriter& out);

struct FileHeader {
  std::uint16_t major = 0;
  std::uint16_t minor = 0;
};
/// Empty when it is missing or damaged.
std::optional<FileHeader> file_header(std::span<const std::byte> file);

void append_footer(ByteWriter& out, std::uint64_t index_offset);
/// Where the index frame stands, if the file ends with an undamaged footer.
std::optional<std::uint64_t> footer_index(std::span<const std::byte> file);

/// Both payloads that have parts (description, calls) are sequences of (id, length, bytes). Parts
/// of unknown id are skipped, missing ones are empty.
void append_part(ByteWriter& out, std::uint64_t id, std::span<const std::byte> bytes);
template <std::size_t N>
bool split_parts(std::span<const std::byte> payload, ByteReader (&parts)[N]) {
  ByteReader in(payload);
  while (!in.at_end()) {
    const std::uint64_t id = in.varint();
    const auto bytes = in.raw(in.varint());
    if (in.failed()) return false;
    if (id < N) parts[id] = ByteReader(bytes);
  }
  return true;
}

}  // namespace slackline::native
