#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slackline {

/// Binary data of a report's page, compressed (doc/formats/page.md): too much for JSON.
struct Blob {
  std::string zlib;         ///< a zlib stream (RFC 1950)
  std::uint64_t bytes = 0;  ///< after inflating

  bool empty() const { return bytes == 0; }
};

/// Thread-safe; about 150 MB/s.
Blob compress(std::string_view bytes);
/// As small as it gets; about 4 MB/s.
Blob compress_well(std::string_view bytes);

/// With padding, without line breaks. Appends to `to`.
void append_base64(std::string& to, std::string_view bytes);
/// Characters that append_base64 makes of so many bytes.
constexpr std::uint64_t base64_size(std::uint64_t bytes) {
  return (bytes + 2) / 3 * 4;
}

/// A column of a blob: numbers one after the other.
class ByteColumn {
 public:
  void u8(std::uint8_t value) { bytes_ += static_cast<char>(value); }
  /// LEB128: seven bits a byte, least first.
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }
  void zigzag(std::int64_t value) { varint(zigzagged(value)); }
  static std::uint64_t zigzagged(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace slackline
