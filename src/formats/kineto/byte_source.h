#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace slackline {

/// The bytes of a text file in pieces, inflated if it is compressed by gzip or zstd.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Appends the next piece, some 256 KiB; false at the end, or where the file is damaged.
  virtual bool append_to(std::string& text) = 0;
};

/// Opens by the file's first bytes, whatever its name. Throws Error if the file is not readable,
/// append_to() also where the content is a multiple of the file's size (compressed/expansion.h).
std::unique_ptr<ByteSource> open_byte_source(const std::filesystem::path& path);

/// The same of bytes that are in memory and stay there.
std::unique_ptr<ByteSource> byte_source(std::span<const std::byte> bytes);

}  // namespace slackline
