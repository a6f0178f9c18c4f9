#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"

namespace slackline {

enum class Compression : std::uint8_t { none, gzip, zstd, xz };

/// How a file is compressed, by its first bytes, whatever its name.
Compression compression_of(std::span<const std::byte> file);

/// "x.prv" for "x.prv.gz", "x.prv.zst" and "x.prv.xz"; any other name as it is.
std::filesystem::path without_compression_suffix(const std::filesystem::path& path);

/// `path`, or where there is no such file the same with .gz, .zst or .xz behind its name, if that
/// is there; else `path`.
std::filesystem::path with_compression_suffix(const std::filesystem::path& path);

/// The content of a file, which may be compressed by gzip, zstd or xz; several members or frames
/// may follow each other. A plain file is mapped, a compressed one takes as much memory as its
/// content.
class DecompressedFile {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  /// With a limit, only about this many bytes of a compressed file's content are decompressed,
  /// enough to recognise it. Throws Error when the file cannot be opened and, unless there is a
  /// limit, when its compressed data are damaged, end early, or are a multiple of the file's size
  /// (check_expansion()).
  explicit DecompressedFile(const std::filesystem::path& path, std::size_t limit = kAll);

  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(text())); }
  /// Without a byte order mark, as bytes() is too.
  std::string_view text() const {
    return compressed_ ? without_byte_order_mark(content_) : stored_.text();
  }
  bool compressed() const { return compressed_; }
  /// The file itself.
  const MappedFile& stored() const { return stored_; }

 private:
  MappedFile stored_;
  bool compressed_;
  std::string content_;
};

/// How many bytes of content a compressed input of `stored` bytes may have: 64 times as many, or
/// what SLACKLINE_MAX_EXPANSION says, and always 64 MiB. This bounds what a small file can make a
/// reader do. Throws usage Error for a variable that is no positive number.
std::uint64_t most_content(std::uint64_t stored);

/// Throws Error, in which `name` is the input, if `content` is more than that.
void check_expansion(std::uint64_t content, std::uint64_t stored, std::string_view name);

}  // namespace slackline
