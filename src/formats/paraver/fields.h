#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

namespace slackline::paraver {

/// The integers of a record, which colons separate.
class Fields {
 public:
  explicit Fields(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// False when there is no further field, or what stands there is no integer of 64 bits. Of one
  /// that needs all 64 bits, as unsigned counters do, the largest of 63 remains.
  bool next(std::int64_t& value) {
    const char* p = at_;
    const bool negative = p < end_ && *p == '-';
    if (negative) ++p;
    const char* const first = p;
    std::uint64_t number = 0;
    while (p < end_) {
      const auto digit = static_cast<unsigned>(*p) - '0';
      if (digit > 9) break;
      if (p - first == kMostDigits - 1 && number > (kLargest - digit) / 10) return false;
      number = number * 10 + digit;
      ++p;
    }
    const bool ends = p == end_ || *p == ':' || *p == '\r';
    if (p == first || p - first > kMostDigits || !ends) return false;
    if (number > kLargestSigned && negative) return false;
    too_large_ = number > kLargestSigned;
    const auto size = static_cast<std::int64_t>(std::min(number, kLargestSigned));
    value = negative ? -size : size;
    at_ = p == end_ ? p : p + 1;
    return true;
  }
  bool at_end() const { return at_ == end_; }
  /// Whether the last value needed all 64 bits.
  bool was_too_large() const { return too_large_; }

 private:
  static constexpr std::ptrdiff_t kMostDigits = 20;
  static constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t kLargestSigned = std::numeric_limits<std::int64_t>::max();

  const char* at_;
  const char* end_;
  bool too_large_ = false;
};

}  // namespace slackline::paraver
