#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "report/json.h"
#include "report/object.h"

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
/// Characters that append_base64 makes of this many bytes.
constexpr std::uint64_t base64_size(std::uint64_t bytes) {
  return (bytes + 2) / 3 * 4;
}

/// A column of a blob: numbers one after the other.
class ByteColumn {
 public:
  void u8(std::uint8_t value) { varint_room()[size_++] = static_cast<char>(value); }
  /// LEB128: seven bits a byte, least first.
  void varint(std::uint64_t value) {
    char* const bytes = varint_room();
    for (; value >= 0x80; value >>= 7) bytes[size_++] = static_cast<char>(value | 0x80);
    bytes[size_++] = static_cast<char>(value);
  }
  void zigzag(std::int64_t value) { varint(zigzagged(value)); }
  static std::uint64_t zigzagged(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  }
  std::string_view bytes() const { return std::string_view(bytes_).substr(0, size_); }

 private:
  /// All bytes, with room for the longest number behind size_.
  char* varint_room() {
    constexpr std::size_t kLongest = 10;
    if (bytes_.size() < size_ + kLongest) bytes_.resize(2 * size_ + 64);
    return bytes_.data();
  }

  std::string bytes_;  ///< of which size_ are written: a string that grows by each byte is slow
  std::size_t size_ = 0;
};

/// The blobs of a report in the order of their numbers.
using BlobList = std::vector<const Blob*>;

/// What a page draws from more numbers than a table holds. The numbers lie in blobs. Its JSON is an
/// agreement between whoever makes the picture and web/ (doc/formats/page.md).
class Picture {
 public:
  virtual ~Picture() = default;
  /// The description, with the numbers of the blobs, which are appended to `blobs`; they live as
  /// long as the picture.
  virtual Json json(BlobList& blobs) const = 0;
  /// The sentence that stands for it in text; empty: nothing.
  virtual std::string text() const { return {}; }

 protected:
  Picture() = default;
  Picture(const Picture&) = default;
  Picture(Picture&&) = default;
  Picture& operator=(const Picture&) = default;
  Picture& operator=(Picture&&) = default;
};

using PicturePtr = std::shared_ptr<const Picture>;

using BlobJson = JsonOf<struct BlobJsonTag>;
const JsonType& declared_type(const BlobJsonTag*);
/// {"blob", "bytes"}: how a picture refers to one of its blobs.
BlobJson blob_reference(const Blob& blob, BlobList& blobs);

}  // namespace slackline
