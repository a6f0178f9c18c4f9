#include "formats/compressed/decompressed_file.h"

#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <memory>
#include <new>

#include "base/error.h"
#include "base/text_parsing.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::byte>;

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for gzip
constexpr std::array<std::string_view, 3> kSuffixes{".gz", ".zst", ".xz"};

bool has_magic(Bytes bytes, std::initializer_list<unsigned char> magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(), [](unsigned char a, std::byte b) {
           return a == std::to_integer<unsigned char>(b);
         });
}

/// Room for another piece behind `out`, which never becomes longer than `limit`.
std::span<char> next_piece(std::string& out, std::size_t limit) {
  const std::size_t before = out.size();
  const std::size_t size = std::min(kPieceBytes, limit - before);
  out.resize(before + size);
  return std::span(out).subspan(before);
}

/// Each of these appends to `out` until it is `limit` long, and says whether the data were whole.
bool gunzip(Bytes in, std::string& out, std::size_t limit) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  int status = Z_OK;
  while (status == Z_OK && out.size() < limit) {
    const std::span<char> piece = next_piece(out, limit);
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    while (status == Z_OK && stream.avail_out > 0) {
      if (stream.avail_in == 0) {
        const Bytes next = in.first(std::min(kPieceBytes, in.size()));
        in = in.subspan(next.size());
        // zlib's signature predates const; it does not write there.
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(next.data()));
        stream.avail_in = static_cast<uInt>(next.size());
      }
      status = inflate(&stream, Z_NO_FLUSH);
      const bool more = stream.avail_in > 0 || !in.empty();
      if (status == Z_STREAM_END && more) status = inflateReset(&stream);
    }
    out.resize(out.size() - stream.avail_out);
  }
  return status == Z_OK || status == Z_STREAM_END;
}

bool unzstd(Bytes in, std::string& out, std::size_t limit) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                        ZSTD_freeDCtx);
  if (context == nullptr) throw std::bad_alloc();
  ZSTD_inBuffer input{in.data(), in.size(), 0};
  std::size_t status = 1;
  bool moved = true;
  while (moved && out.size() < limit) {
    const std::span<char> piece = next_piece(out, limit);
    ZSTD_outBuffer output{piece.data(), piece.size(), 0};
    const std::size_t read = input.pos;
    status = ZSTD_decompressStream(context.get(), &output, &input);
    out.resize(out.size() - (output.size - output.pos));
    if (ZSTD_isError(status) != 0) return false;
    if (status == 0 && input.pos == input.size) return true;
    moved = output.pos > 0 || input.pos > read;
  }
  return moved;
}

bool unxz(Bytes in, std::string& out, std::size_t limit) {
  lzma_stream stream = LZMA_STREAM_INIT;
  constexpr std::uint64_t kAnyMemory = std::numeric_limits<std::uint64_t>::max();
  if (lzma_stream_decoder(&stream, kAnyMemory, LZMA_CONCATENATED) != LZMA_OK) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> guard(&stream, lzma_end);
  stream.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
  stream.avail_in = in.size();
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK && out.size() < limit) {
    const std::span<char> piece = next_piece(out, limit);
    stream.next_out = reinterpret_cast<std::uint8_t*>(piece.data());
    stream.avail_out = piece.size();
    status = lzma_code(&stream, LZMA_FINISH);
    out.resize(out.size() - stream.avail_out);
  }
  return status == LZMA_OK || status == LZMA_STREAM_END;
}

bool decompress(Bytes in, std::string& out, std::size_t limit) {
  switch (compression_of(in)) {
    case Compression::gzip:
      return gunzip(in, out, limit);
    case Compression::zstd:
      return unzstd(in, out, limit);
    case Compression::xz:
      return unxz(in, out, limit);
    case Compression::none:
      break;
  }
  return true;
}

}  // namespace

Compression compression_of(Bytes file) {
  if (has_magic(file, {0x1f, 0x8b})) return Compression::gzip;
  if (has_magic(file, {0x28, 0xb5, 0x2f, 0xfd})) return Compression::zstd;
  if (has_magic(file, {0xfd, '7', 'z', 'X', 'Z', 0x00})) return Compression::xz;
  return Compression::none;
}

fs::path without_compression_suffix(const fs::path& path) {
  const bool compressed = std::ranges::find(kSuffixes, path.extension()) != kSuffixes.end();
  return compressed ? fs::path(path).replace_extension() : path;
}

fs::path with_compression_suffix(const fs::path& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) return path;
  for (const std::string_view suffix : kSuffixes) {
    fs::path compressed = path;
    compressed += suffix;
    if (fs::exists(compressed, ignored)) return compressed;
  }
  return path;
}

DecompressedFile::DecompressedFile(const fs::path& path, std::size_t limit)
    : stored_(path), compressed_(compression_of(stored_.bytes()) != Compression::none) {
  if (!compressed_) return;
  const std::uint64_t stored = stored_.bytes().size();
  const std::uint64_t most = std::min<std::uint64_t>(limit, most_content(stored) + 1);
  const bool whole = decompress(stored_.bytes(), content_, static_cast<std::size_t>(most));
  check_expansion(content_.size(), stored, path.string());
  if (whole || limit != kAll) return;
  throw Error(fmt::format("cannot read '{}'", path.string()),
              "its compressed data are damaged or end early",
              "Copy the file again from where it was made.");
}

namespace {

constexpr std::uint64_t kUsualRatio = 64;  // as in the native format
constexpr std::uint64_t kAlways = std::uint64_t{64} << 20;

std::uint64_t largest_ratio() {
  const char* const asked = std::getenv("SLACKLINE_MAX_EXPANSION");
  if (asked == nullptr || *asked == '\0') return kUsualRatio;
  const std::uint64_t ratio = number_in<std::uint64_t>(asked).value_or(0);
  if (ratio > 0) return ratio;
  throw usage_error(fmt::format("cannot use SLACKLINE_MAX_EXPANSION={}", asked),
                    "it is not a positive integer", "Example: SLACKLINE_MAX_EXPANSION=1000.");
}

}  // namespace

std::uint64_t most_content(std::uint64_t stored) {
  const std::uint64_t ratio = largest_ratio();
  const bool fits = stored <= std::numeric_limits<std::uint64_t>::max() / ratio;
  return std::max(kAlways, fits ? ratio * stored : std::numeric_limits<std::uint64_t>::max());
}

void check_expansion(std::uint64_t content, std::uint64_t stored, std::string_view name) {
  if (content <= most_content(stored)) return;
  throw Error(fmt::format("cannot read '{}'", name),
              fmt::format("its content is more than {} times as large as the file of {} bytes",
                          largest_ratio(), stored),
              "If you trust the file, set SLACKLINE_MAX_EXPANSION to a larger number.");
}

}  // namespace slackline
