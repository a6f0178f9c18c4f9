#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace slackline::paraver {

/// A few fields that are written over and over. At most kMost bytes.
class ShortText {
 public:
  static constexpr std::size_t kMost = 64;

  ShortText() = default;
  explicit ShortText(std::string_view text) : size_(static_cast<std::uint8_t>(text.size())) {
    std::memcpy(text_.data(), text.data(), text.size());
  }
  std::string_view view() const { return {text_.data(), size_}; }

  /// Writes to `to`, where there is room for kMost bytes. Copies of a fixed size, and almost always
  /// of the smaller one, take less time than those of the size that is wanted.
  char* put(char* to) const {
    constexpr std::size_t kUsual = 16;
    std::memcpy(to, text_.data(), kUsual);
    if (size_ > kUsual) std::memcpy(to + kUsual, text_.data() + kUsual, kMost - kUsual);
    return to + size_;
  }

 private:
  std::array<char, kMost> text_{};
  std::uint8_t size_ = 0;
};

}  // namespace slackline::paraver
