#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace slackline {

/// Bytes that are made in place: who writes asks for room once, for all that comes next, and
/// nothing is checked after that. Movable.
class TextBuffer {
 public:
  TextBuffer() = default;
  TextBuffer(TextBuffer&& other) noexcept
      : data_(std::move(other.data_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  TextBuffer& operator=(TextBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  /// Where what comes next may be written, `bytes` of it. Good until the next call.
  char* room(std::size_t bytes) {
    if (capacity_ - size_ < bytes) grow(bytes);
    return data_.get() + size_;
  }
  /// What was written into room() ends there.
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - data_.get()); }
  void append(std::string_view text) {
    size_ += text.copy(room(text.size()), text.size());  // unlike memcpy, good for no text at all
  }
  void clear() { size_ = 0; }

  std::size_t size() const { return size_; }
  std::string_view view() const { return {data_.get(), size_}; }

 private:
  void grow(std::size_t bytes) {
    constexpr std::size_t kFirst = 4096;
    capacity_ = std::max(kFirst, 2 * capacity_ + bytes);
    auto data = std::make_unique_for_overwrite<char[]>(capacity_);
    if (size_ > 0) std::memcpy(data.get(), data_.get(), size_);
    data_ = std::move(data);
  }

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace slackline
