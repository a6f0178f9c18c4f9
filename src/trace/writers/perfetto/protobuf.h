#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace slackline {

/// Appends fields of protobuf's wire format to a message under construction. Field numbers are
/// below 2^28; nothing is checked.
class ProtoMessage {
 public:
  void varint(std::uint32_t field, std::uint64_t value) {
    key(field, 0);
    number(value);
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    key(field, 1);
    for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> (8 * byte) & 0xff);
  }
  void real(std::uint32_t field, double value) {
    fixed64(field, std::bit_cast<std::uint64_t>(value));
  }
  /// A string or a nested message.
  void bytes(std::uint32_t field, std::string_view value) {
    key(field, 2);
    number(value.size());
    bytes_ += value;
  }

  std::string_view view() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void key(std::uint32_t field, std::uint32_t type) { number(field << 3 | type); }
  void number(std::uint64_t value) {
    constexpr std::size_t kLongest = 10;  // seven bits a byte
    std::array<char, kLongest> bytes;
    std::size_t size = 0;
    for (; value >= 0x80; value >>= 7) bytes[size++] = static_cast<char>(value | 0x80);
    bytes[size++] = static_cast<char>(value);
    bytes_.append(bytes.data(), size);
  }

  std::string bytes_;
};

}  // namespace slackline
