#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace slackline {

// Integers as runtime/replay reads them (trace/replay_wire.h): seven bits a byte, least significant
// first.

inline void put_unsigned(std::string& to, std::uint64_t value) {
  for (; value >= 128; value >>= 7) to.push_back(static_cast<char>((value & 127) | 128));
  to.push_back(static_cast<char>(value));
}

/// Numbers near zero of both signs are short.
inline void put_signed(std::string& to, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  put_unsigned(to, (bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

/// A structure of fixed size as it lies in memory.
template <class T>
void put_bytes(std::string& to, const T& value) {
  const std::size_t at = to.size();
  to.resize(at + sizeof value);
  std::memcpy(to.data() + at, &value, sizeof value);
}

}  // namespace slackline
