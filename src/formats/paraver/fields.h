#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace slackline::paraver {

/// The integers of a record, which colons separate.
class Fields {
 public:
  explicit Fields(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  /// False when there is no further field, or what stands there is no integer of 64 bits.
  bool next(std::int64_t& value) {
    const char* p = at_;
    const bool negative = p < end_ && *p == '-';
    if (negative) ++p;
    const char* const first = p;
    std::uint64_t number = 0;
    while (p < end_) {
      const auto digit = static_cast<unsigned>(*p) - '0';
      if (digit > 9) break;
      number = number * 10 + digit;
      ++p;
    }
    const bool ends = p == end_ || *p == ':' || *p == '\r';
    if (p == first || p - first > kMostDigits || !ends || number > kLargest) return false;
    value = negative ? -static_cast<std::int64_t>(number) : static_cast<std::int64_t>(number);
    at_ = p == end_ ? p : p + 1;
    return true;
  }
  bool at_end() const { return at_ == end_; }

 private:
  static constexpr std::ptrdiff_t kMostDigits = 19;
  static constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();

  const char* at_;
  const char* end_;
};

}  // namespace slackline::paraver
