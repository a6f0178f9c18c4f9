#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace slackline {

// Each writes to `to`, where there must be room for it, and returns where it ends.

inline char* put_text(char* to, std::string_view text) {
  return to + text.copy(to, text.size());
}

/// Room for any number: its digits, a sign, and what put_number() may overwrite behind them.
inline constexpr std::size_t kNumberRoom = 32;

namespace detail {

static_assert(std::endian::native == std::endian::little, "the first digit is the lowest byte");

// Eight decimal digits as eight bytes 0 to 9, the first one lowest. Splits 10^8 into halves of
// 10^4, these into 10^2 and 10, all at once: quotients by multiplication, exact in these ranges.
inline std::uint64_t eight_digits(std::uint32_t value) {
  const std::uint64_t fours = value / 10'000 | std::uint64_t{value % 10'000} << 32;
  const std::uint64_t hundreds = fours * 10'486 >> 20 & 0x0000'007f'0000'007f;
  const std::uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  const std::uint64_t tens = twos * 103 >> 10 & 0x000f'000f'000f'000f;
  return tens | (twos - 10 * tens) << 8;
}

inline constexpr std::uint64_t kZeros = 0x3030'3030'3030'3030;

inline char* put_eight_digits(char* to, std::uint32_t value) {
  const std::uint64_t text = eight_digits(value) + kZeros;
  std::memcpy(to, &text, sizeof text);
  return to + sizeof text;
}

// Without leading zeros.
inline char* put_first_digits(char* to, std::uint32_t value) {
  const std::uint64_t digits = eight_digits(value);
  const auto leading_zeros =  // the last digit stays, whatever it is
      static_cast<unsigned>(std::countr_zero(digits | std::uint64_t{1} << 56)) / 8;
  const std::uint64_t text = (digits + kZeros) >> 8 * leading_zeros;
  std::memcpy(to, &text, sizeof text);
  return to + (sizeof text - leading_zeros);
}

}  // namespace detail

/// The decimal digits of a number. May overwrite eight bytes behind them.
inline char* put_number(char* to, std::uint64_t value) {
  constexpr std::uint64_t kEightDigits = 100'000'000;
  if (value < kEightDigits) return detail::put_first_digits(to, static_cast<std::uint32_t>(value));
  const std::uint64_t high = value / kEightDigits;
  if (high < kEightDigits) {
    to = detail::put_first_digits(to, static_cast<std::uint32_t>(high));
  } else {
    to = detail::put_first_digits(to, static_cast<std::uint32_t>(high / kEightDigits));
    to = detail::put_eight_digits(to, static_cast<std::uint32_t>(high % kEightDigits));
  }
  return detail::put_eight_digits(to, static_cast<std::uint32_t>(value % kEightDigits));
}

inline char* put_number(char* to, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  if (value >= 0) return put_number(to, bits);
  *to = '-';
  return put_number(to + 1, 0 - bits);
}
inline char* put_number(char* to, std::int32_t value) {
  return put_number(to, std::int64_t{value});
}
inline char* put_number(char* to, std::uint32_t value) {
  return put_number(to, std::uint64_t{value});
}
inline char* put_number(char* to, std::uint16_t value) {
  return put_number(to, std::uint64_t{value});
}

}  // namespace slackline
