#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/text_buffer.h"

namespace slackline {

inline constexpr std::size_t kLongestVarint = 10;  // seven bits a byte

/// Writes a number in protobuf's wire format, at most kLongestVarint bytes; where it ends.
inline char* put_varint(char* to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
  *to++ = static_cast<char>(value);
  return to;
}

/// Appends a string or a nested message as a field.
inline void append_bytes(TextBuffer& out, std::uint32_t field, std::string_view value) {
  char* const to = put_varint(out.room(2 * kLongestVarint), std::uint64_t{field} << 3 | 2);
  out.end_at(put_varint(to, value.size()));
  out.append(value);
}

/// Appends fields of protobuf's wire format to a message under construction. Field numbers are
/// below 2^28; nothing is checked.
class ProtoMessage {
 public:
  void varint(std::uint32_t field, std::uint64_t value) {
    bytes_.end_at(put_varint(put_varint(bytes_.room(2 * kLongestVarint), field << 3), value));
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    char* to = put_varint(bytes_.room(kLongestVarint + sizeof value), field << 3 | 1);
    for (int byte = 0; byte < 8; ++byte) *to++ = static_cast<char>(value >> (8 * byte) & 0xff);
    bytes_.end_at(to);
  }
  void real(std::uint32_t field, double value) {
    fixed64(field, std::bit_cast<std::uint64_t>(value));
  }
  /// A string or a nested message.
  void bytes(std::uint32_t field, std::string_view value) { append_bytes(bytes_, field, value); }

  std::string_view view() const { return bytes_.view(); }
  void clear() { bytes_.clear(); }

 private:
  TextBuffer bytes_;
};

}  // namespace slackline
