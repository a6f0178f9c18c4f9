#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace slackline::native {

static_assert(std::endian::native == std::endian::little, "the formats are little-endian");

constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1)));
}
/// a + b and a - b that wrap instead of overflowing: exact inverses of each other for any input.
constexpr std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
constexpr std::int64_t wrapping_sub(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

/// A growing byte string. A varint is LEB128: seven bits a byte, least first, the high bit says
/// more.
class ByteWriter {
 public:
  std::size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }
  std::vector<std::byte> copy() const { return {bytes().begin(), bytes().end()}; }
  void clear() { size_ = 0; }

  void u8(std::uint8_t value) {
    room(1);
    data_[size_++] = std::byte{value};
  }
  void varint(std::uint64_t value) {
    room(10);
    while (value >= 0x80) {
      data_[size_++] = static_cast<std::byte>(value | 0x80);
      value >>= 7;
    }
    data_[size_++] = static_cast<std::byte>(value);
  }
  void svarint(std::int64_t value) { varint(zigzag(value)); }
  /// A fixed-width little-endian value.
  template <class T>
  void fixed(T value) {
    room(sizeof value);
    std::memcpy(data_.get() + size_, &value, sizeof value);
    size_ += sizeof value;
  }
  void raw(std::span<const std::byte> bytes) {
    room(bytes.size());
    if (!bytes.empty()) std::memcpy(data_.get() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  void zeros(std::size_t count) {
    room(count);
    std::memset(data_.get() + size_, 0, count);
    size_ += count;
  }
  void text(std::string_view text) {
    varint(text.size());
    raw(std::as_bytes(std::span(text)));
  }
  /// Makes `count` bytes to be filled by the caller; shrink() afterwards.
  std::byte* grow(std::size_t count) {
    room(count);
    std::byte* at = data_.get() + size_;
    size_ += count;
    return at;
  }
  void shrink(std::size_t size) { size_ = size; }
  /// Replaces bytes that were written before.
  void overwrite(std::size_t at, std::span<const std::byte> bytes) {
    std::memcpy(data_.get() + at, bytes.data(), bytes.size());
  }

 private:
  void room(std::size_t count) {
    if (capacity_ - size_ < count) reallocate(count);
  }
  void reallocate(std::size_t count) {
    const std::size_t larger = (size_ + count) * 2;
    auto data = std::make_unique_for_overwrite<std::byte[]>(larger);
    if (size_ > 0) std::memcpy(data.get(), data_.get(), size_);
    data_ = std::move(data);
    capacity_ = larger;
  }

  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Reads what ByteWriter wrote. Past the end everything is 0 and failed() becomes true, so that
/// callers check once, after a loop.
class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(std::span<const std::byte> bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool failed() const { return failed_; }
  bool at_end() const { return at_ == end_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  std::uint8_t u8() {
    if (at_ == end_) return fail();
    return static_cast<std::uint8_t>(*at_++);
  }
  std::uint64_t varint() {
    if (at_ == end_) return fail();
    const auto first = static_cast<std::uint8_t>(*at_);
    if (first < 0x80) {
      ++at_;
      return first;
    }
    return long_varint();
  }
  std::int64_t svarint() { return unzigzag(varint()); }
  template <class T>
  T fixed() {
    T value{};
    if (left() < sizeof value) {
      fail();
      return value;
    }
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::span<const std::byte> raw(std::uint64_t count) {
    if (count > left()) {
      fail();
      return {};
    }
    const std::byte* from = at_;
    at_ += count;
    return {from, static_cast<std::size_t>(count)};
  }
  std::string_view text() {
    const auto bytes = raw(varint());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::uint8_t fail() {
    failed_ = true;
    at_ = end_;
    return 0;
  }
  std::uint64_t long_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(*at_++);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return fail();
  }

  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;
  bool failed_ = false;
};

}  // namespace slackline::native
